import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * What all ways of Flink share: its settings, and the events as a stream.
 *
 * <p>Flink counts event time in milliseconds. It is given microseconds for them, so that no event loses its place; all
 * durations are multiplied alike. They are counted from the first event, so that dates stay in the range of SQL.
 */
final class Flink {
    /** The events and the matches of the run; everything is in one process. */
    static volatile Peer.Events events;
    static volatile Peer.Matches matches;

    /** An event, as Flink's own serializer for plain objects takes it. */
    public static final class Event {
        public int type;
        public long place;
        public long time;
        public long key;
        public double value;

        public Event() {}

        Event(int type, long place, long time, long key, double value) {
            this.type = type;
            this.place = place;
            this.time = time;
            this.key = key;
            this.value = value;
        }
    }

    /** Builds a job. */
    interface Job {
        void build(StreamExecutionEnvironment flink, SingleOutputStreamOperator<Event> events, Asked asked);
    }

    private Flink() {}

    /** heap|rocksdb */
    static void serve(String[] arguments, Job job) throws Exception {
        Peer.serve((asked, folder) -> (given, parallelism, found) -> {
            events = given;
            matches = found;
            Configuration settings = settings(arguments[0], folder.resolve("checkpoints"));
            StreamExecutionEnvironment flink =
                    StreamExecutionEnvironment.createLocalEnvironment(parallelism, settings);
            flink.getConfig().enableObjectReuse();
            job.build(flink, wanted(flink, generated(), asked), asked);
            flink.execute();
        });
    }

    /** With RocksDB, checkpoints go into the folder. */
    static Configuration settings(String state, Path folder) {
        Configuration settings = new Configuration();
        settings.setString("restart-strategy.type", "none"); // what fails is to be seen
        settings.setString("taskmanager.memory.managed.size", "512m");
        settings.setString("taskmanager.memory.network.min", "128m");
        settings.setString("taskmanager.memory.network.max", "128m");
        if (state.equals("rocksdb")) {
            settings.setString("pipeline.cep.sharedbuffer.cache.event-slots", "100000"); // a key has one or two
            settings.setString("pipeline.cep.sharedbuffer.cache.entry-slots", "100000");
            settings.setString("state.backend.type", "rocksdb");
            settings.setString("state.backend.rocksdb.options-factory", Bounded.class.getName());
            settings.setString("state.backend.rocksdb.timer-service.factory", "HEAP");
            settings.setString("execution.checkpointing.incremental", "true");
            settings.setString("execution.checkpointing.interval", "5s");
            settings.setString("execution.checkpointing.dir", folder.toUri().toString());
        }
        return settings;
    }

    /** Those that one of several questions asks for. */
    static SingleOutputStreamOperator<Event> wanted(SingleOutputStreamOperator<Event> events, Asked.Query query) {
        return query.rules() == null
                ? events
                : events.filter(event -> query.takes(event.key) && query.streams()[event.type] != null)
                        .setParallelism(1);
    }

    private static Source<Event, ?, ?> generated() {
        GeneratorFunction<Long, Event> made = place -> {
            int at = place.intValue();
            long time = events.times[at] - events.times[0];
            return new Event(events.types[at], place, time, events.keys[at], events.values[at]);
        };
        return new DataGeneratorSource<>(
                made, events.count(), RateLimiterStrategy.noOp(), TypeInformation.of(Event.class));
    }

    /** The events that are asked for; those that may come out of order wait in Flink until their delay is over. */
    static SingleOutputStreamOperator<Event> wanted(
            StreamExecutionEnvironment flink, Source<Event, ?, ?> source, Asked asked) {
        WatermarkStrategy<Event> order = asked.delay == 0
                ? WatermarkStrategy.forMonotonousTimestamps()
                : WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(asked.delay));
        String[] types = asked.types; // Flink sends functions about: they must not hold on to all that is asked
        double above = asked.above;
        return flink.fromSource(source, order.withTimestampAssigner((event, before) -> event.time), "events")
                .setParallelism(1)
                .filter(event -> Asked.wants(types, above, event.type, event.value))
                .setParallelism(1);
    }
}
