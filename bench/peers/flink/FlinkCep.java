import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/**
 * Flink CEP, its Pattern API: FlinkCep WORKLOAD EVENTS PARALLELISM heap|rocksdb [FOLDER]
 *
 * <p>Flink counts event time in milliseconds. It is given microseconds for them, so that no event loses its place; all
 * durations are multiplied alike. A match has to end before the whole of `within` is over, ours may end with it: hence
 * the one microsecond more.
 */
public final class FlinkCep {
    private static final long SECOND = 1_000_000;

    /** The events and the matches of the run; everything is in one process. */
    private static volatile Peer.Events events;
    private static volatile Peer.Matches matches;

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

    public static void main(String[] arguments) throws Exception {
        String workload = arguments[0];
        Path file = Path.of(arguments[1]);
        int parallelism = Integer.parseInt(arguments[2]);
        Configuration settings = settings(arguments);
        Peer.serve(found -> {
            events = Peer.Events.read(file);
            matches = found;
            StreamExecutionEnvironment flink =
                    StreamExecutionEnvironment.createLocalEnvironment(parallelism, settings);
            flink.getConfig().enableObjectReuse();
            detect(flink, workload);
            flink.execute();
        });
    }

    private static Configuration settings(String[] arguments) {
        Configuration settings = new Configuration();
        settings.setString("restart-strategy.type", "none"); // what fails is to be seen
        settings.setString("taskmanager.memory.managed.size", "512m");
        settings.setString("taskmanager.memory.network.min", "128m");
        settings.setString("taskmanager.memory.network.max", "128m");
        if (arguments[3].equals("rocksdb")) {
            settings.setString("pipeline.cep.sharedbuffer.cache.event-slots", "100000"); // a key has one or two
            settings.setString("pipeline.cep.sharedbuffer.cache.entry-slots", "100000");
            settings.setString("state.backend.type", "rocksdb");
            settings.setString("execution.checkpointing.incremental", "true");
            settings.setString("execution.checkpointing.interval", "5s");
            settings.setString("execution.checkpointing.dir", Path.of(arguments[4]).toUri().toString());
        }
        return settings;
    }

    private static void detect(StreamExecutionEnvironment flink, String workload) {
        GeneratorFunction<Long, Event> source = place -> {
            int at = place.intValue();
            return new Event(events.types[at], place, events.times[at], events.keys[at], events.values[at]);
        };
        WatermarkStrategy<Event> inOrder =
                WatermarkStrategy.<Event>forMonotonousTimestamps().withTimestampAssigner((event, before) -> event.time);
        var stream = flink.fromSource(
                        new DataGeneratorSource<>(
                                source,
                                events.count(),
                                RateLimiterStrategy.noOp(),
                                TypeInformation.of(Event.class)),
                        inOrder,
                        "events")
                .setParallelism(1)
                .filter(event -> wanted(workload, event)) // what every user of Flink would leave out first
                .setParallelism(1)
                .keyBy(event -> event.key);
        CEP.pattern(stream, pattern(workload))
                .process(new Count(workload.equals("W4")))
                .sinkTo(new DiscardingSink<>());
    }

    private static boolean wanted(String workload, Event event) {
        return workload.equals("W4") ? event.type == Peer.D && event.value > 0.9 : event.type <= Peer.C;
    }

    private static Pattern<Event, ?> pattern(String workload) {
        Duration minute = Duration.ofMillis(60 * SECOND + 1);
        switch (workload) {
            case "W1":
                return begin(Peer.A)
                        .followedBy("second").where(is(Peer.B))
                        .followedBy("third").where(is(Peer.C))
                        .within(minute);
            case "W2":
                return begin(Peer.A)
                        .followedByAny("second").where(is(Peer.B)).where(new Higher())
                        .followedByAny("third").where(is(Peer.C)).where(new Lower())
                        .within(minute);
            case "W3":
                return begin(Peer.A)
                        .notFollowedBy("between").where(is(Peer.B))
                        .followedBy("second").where(is(Peer.C))
                        .within(minute);
            case "W4":
                return begin(Peer.D).times(3).within(Duration.ofMillis(30 * SECOND + 1));
            default:
                throw new IllegalArgumentException(workload);
        }
    }

    private static Pattern<Event, Event> begin(int type) {
        return Pattern.<Event>begin("first", AfterMatchSkipStrategy.noSkip()).where(is(type));
    }

    private static SimpleCondition<Event> is(int type) {
        return SimpleCondition.of(event -> event.type == type);
    }

    private static final class Higher extends IterativeCondition<Event> {
        @Override
        public boolean filter(Event event, Context<Event> context) throws Exception {
            return event.value > context.getEventsForPattern("first").iterator().next().value * 1.5;
        }
    }

    private static final class Lower extends IterativeCondition<Event> {
        @Override
        public boolean filter(Event event, Context<Event> context) throws Exception {
            return event.value < context.getEventsForPattern("second").iterator().next().value;
        }
    }

    private static final class Count extends PatternProcessFunction<Event, Long> {
        private final boolean repeated;

        Count(boolean repeated) {
            this.repeated = repeated;
        }

        @Override
        public void processMatch(Map<String, List<Event>> match, Context context, Collector<Long> out) {
            List<Event> first = match.get("first");
            if (repeated) {
                matches.add(first.get(0).place, first.get(1).place, first.get(2).place);
            } else if (match.containsKey("third")) {
                matches.add(first.get(0).place, match.get("second").get(0).place, match.get("third").get(0).place);
            } else {
                matches.add(first.get(0).place, match.get("second").get(0).place);
            }
        }
    }
}
