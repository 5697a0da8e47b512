import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/**
 * Flink CEP from one topic into another: FlinkKafka ASKED SERVERS PARALLELISM heap|rocksdb
 *
 * <p>Each line that comes in is an order, as README.md says: `drain SOURCE SINK FOLDER` answers when all that is in the
 * source has been published, `live SOURCE SINK FOLDER` when it has begun, `stop` when that has ended.
 */
public final class FlinkKafka {
    private final Asked asked;
    private final String servers;
    private final int parallelism;
    private final String state;

    private FlinkKafka(String[] arguments) throws IOException {
        asked = Asked.read(Path.of(arguments[0]));
        servers = arguments[1];
        parallelism = Integer.parseInt(arguments[2]);
        state = arguments[3];
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err);
        FlinkKafka side = new FlinkKafka(arguments);
        BufferedReader words = new BufferedReader(new InputStreamReader(System.in));
        JobClient running = null;
        for (String line = words.readLine(); line != null; line = words.readLine()) {
            String[] order = line.split(" ");
            switch (order[0]) {
                case "drain" -> side.job(order, true).execute();
                case "live" -> running = side.job(order, false).executeAsync();
                case "stop" -> running.cancel().get();
                default -> throw new IllegalArgumentException(line);
            }
            answers.println("{\"done\": true}");
            answers.flush();
        }
    }

    private StreamExecutionEnvironment job(String[] order, boolean bounded) {
        Configuration settings = Flink.settings(state, Path.of(order[3]));
        settings.setString("pipeline.auto-watermark-interval", bounded ? "200ms" : "10ms"); // few when nobody waits
        settings.setString("execution.buffer-timeout.interval", bounded ? "100ms" : "5ms");
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.createLocalEnvironment(parallelism, settings);
        flink.getConfig().enableObjectReuse();
        KafkaSourceBuilder<Flink.Event> source = KafkaSource.<Flink.Event>builder()
                .setBootstrapServers(servers)
                .setTopics(order[1])
                .setStartingOffsets(OffsetsInitializer.earliest())
                .setValueOnlyDeserializer(new Parsed());
        if (bounded) {
            source.setBounded(OffsetsInitializer.latest());
        }
        Asked.Query query = asked.queries.get(0);
        FlinkCep.found(Flink.wanted(flink, source.build(), asked), query)
                .process(new Tell(query.width()))
                .sinkTo(KafkaSink.<String>builder()
                        .setBootstrapServers(servers)
                        .setRecordSerializer(KafkaRecordSerializationSchema.builder()
                                .setTopic(order[2])
                                .setValueSerializationSchema(new SimpleStringSchema())
                                .build())
                        .setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)
                        .build());
        return flink;
    }

    /** An event from JSON, read token by token: nothing is faster with Jackson. */
    private static final class Parsed extends AbstractDeserializationSchema<Flink.Event> {
        private static final JsonFactory JSON = new JsonFactory();
        private static final long FIRST = 1_767_225_600_000_000L;

        Parsed() {
            super(Flink.Event.class);
        }

        @Override
        public Flink.Event deserialize(byte[] message) throws IOException {
            Flink.Event event = new Flink.Event();
            try (JsonParser parser = JSON.createParser(message)) {
                parser.nextToken();
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String name = parser.currentName();
                    parser.nextToken();
                    switch (name) {
                        case "type" -> event.type = "ABCDZ".indexOf(parser.getText().charAt(0));
                        case "time" -> event.time = parser.getLongValue() - FIRST;
                        case "id" -> event.place = Long.parseLong(parser.getText());
                        case "key" -> event.key = parser.getLongValue();
                        case "value" -> event.value = parser.getDoubleValue();
                        default -> throw new IOException(name);
                    }
                }
            }
            return event;
        }
    }

    /** A match as JSON, with the ids of its events. */
    private static final class Tell extends PatternProcessFunction<Flink.Event, String> {
        private final int width;

        Tell(int width) {
            this.width = width;
        }

        @Override
        public void processMatch(Map<String, List<Flink.Event>> match, Context context, Collector<String> out) {
            StringBuilder text = new StringBuilder("{\"constituents\":[");
            for (long place : FlinkCep.places(match, width)) {
                text.append(text.charAt(text.length() - 1) == '[' ? "{\"id\":\"" : ",{\"id\":\"").append(place).append("\"}");
            }
            out.collect(text.append("]}").toString());
        }
    }
}
