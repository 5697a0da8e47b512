import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Puts events into topics and reads what was published: Topics SERVERS EVENTS
 *
 * <p>A topic has one partition, so that its order is that of time, and its records have the time at which the broker
 * got them: both ends of a latency are then told by one clock, and neither by a side that is measured. Each line that
 * comes in is an order, each answer a line of JSON:
 *
 * <pre>
 * create TOPIC
 * put TOPIC FROM TO RATE  the events at these places, so many a second (0: as fast as possible)
 * end TOPIC COUNT         after so many, one much later: by then everything has been told
 * count TOPIC             how many records there are
 * times TOPIC FILE        when the broker got each of them, in ms, a line for each
 * read TOPIC FILE         time and value of each, a line for each
 * </pre>
 */
public final class Topics {
    private static final String[] TYPES = {"A", "B", "C", "D", "Z"};
    private static final long LATER = 3_600_000_000L;

    private final String servers;
    private final Peer.Events events;

    private Topics(String servers, Peer.Events events) {
        this.servers = servers;
        this.events = events;
    }

    public static void main(String[] arguments) throws Exception {
        Topics topics = new Topics(arguments[0], Peer.Events.read(Path.of(arguments[1])));
        BufferedReader words = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("{\"ready\": true}");
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", topics.servers));
                KafkaConsumer<byte[], byte[]> consumer = topics.consumer()) {
            for (String line = words.readLine(); line != null; line = words.readLine()) {
                String[] order = line.split(" ");
                switch (order[0]) {
                    case "create" -> create(admin, order[1]);
                    case "put" -> topics.put(
                            order[1], Integer.parseInt(order[2]), Integer.parseInt(order[3]), Double.parseDouble(order[4]));
                    case "end" -> topics.end(order[1], Integer.parseInt(order[2]));
                    case "count" -> System.out.printf("{\"count\": %d}%n", length(consumer, order[1]));
                    case "times" -> topics.times(consumer, order[1], Path.of(order[2]));
                    case "read" -> topics.read(consumer, order[1], Path.of(order[2]));
                    default -> throw new IllegalArgumentException(line);
                }
                System.out.flush();
            }
        }
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        Map<String, Object> settings = Map.of("bootstrap.servers", servers, "auto.offset.reset", "earliest");
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static void create(Admin admin, String topic) throws Exception {
        NewTopic wanted = new NewTopic(topic, 1, (short) 1).configs(Map.of("message.timestamp.type", "LogAppendTime"));
        admin.createTopics(List.of(wanted)).all().get();
        System.out.println("{\"created\": true}");
    }

    private KafkaProducer<byte[], byte[]> producer(double rate) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", servers, "acks", "1", "linger.ms", rate == 0 ? "5" : "0", "batch.size", "131072");
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Says how far behind its own plan it was at most: then the rate was not what it is called. */
    private void put(String topic, int from, int to, double rate) {
        long behind = 0;
        try (KafkaProducer<byte[], byte[]> producer = producer(rate)) {
            producer.partitionsFor(topic); // so that the first event need not wait for the connection
            long start = System.nanoTime();
            for (int place = from; place < to; place++) {
                if (rate > 0) {
                    behind = Math.max(behind, waited(start + (long) ((place - from) * 1e9 / rate)));
                }
                producer.send(record(topic, place, TYPES[events.types[place]], events.times[place]));
            }
        }
        System.out.printf("{\"behind\": %s}%n", behind / 1e9);
    }

    private void end(String topic, int count) {
        try (KafkaProducer<byte[], byte[]> producer = producer(1)) {
            producer.send(record(topic, count, "Z", events.times[count - 1] + LATER));
        }
        System.out.println("{\"ended\": true}");
    }

    /** Wait until it is time; how late it was by then. */
    private static long waited(long due) {
        for (long now = System.nanoTime(); ; now = System.nanoTime()) {
            if (now >= due) {
                return now - due;
            }
            LockSupport.parkNanos(Math.min(due - now, 1_000_000));
        }
    }

    private ProducerRecord<byte[], byte[]> record(String topic, int place, String type, long time) {
        int like = Math.min(place, events.count() - 1);
        String value = "{\"type\":\"" + type + "\",\"time\":" + time + ",\"id\":\"" + place + "\",\"key\":"
                + events.keys[like] + ",\"value\":" + events.values[like] + "}";
        return new ProducerRecord<>(topic, value.getBytes(StandardCharsets.US_ASCII));
    }

    private static long length(KafkaConsumer<byte[], byte[]> consumer, String topic) {
        TopicPartition only = new TopicPartition(topic, 0);
        return consumer.endOffsets(List.of(only)).get(only);
    }

    /** What is done with a record. */
    private interface Each {
        void take(ConsumerRecord<byte[], byte[]> record) throws Exception;
    }

    private static void each(KafkaConsumer<byte[], byte[]> consumer, String topic, Each each) throws Exception {
        TopicPartition only = new TopicPartition(topic, 0);
        long end = length(consumer, topic);
        consumer.assign(List.of(only));
        consumer.seekToBeginning(List.of(only));
        while (consumer.position(only) < end) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                each.take(record);
            }
        }
    }

    private void times(KafkaConsumer<byte[], byte[]> consumer, String topic, Path file) throws Exception {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            each(consumer, topic, record -> out.write(record.timestamp() + "\n"));
        }
        System.out.println("{\"read\": true}");
    }

    private void read(KafkaConsumer<byte[], byte[]> consumer, String topic, Path file) throws Exception {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            each(consumer, topic, record ->
                    out.write(record.timestamp() + " " + new String(record.value(), StandardCharsets.UTF_8) + "\n"));
        }
        System.out.println("{\"read\": true}");
    }
}
