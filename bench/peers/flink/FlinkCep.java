import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/**
 * Flink CEP, its Pattern API.
 *
 * <p>A match has to end before the whole of `within` is over, ours may end with it: hence the one microsecond more.
 */
public final class FlinkCep {
    private static final long SECOND = 1_000_000;

    public static void main(String[] arguments) throws Exception {
        String workload = arguments[0];
        Flink.serve(arguments, (flink, events) -> CEP.pattern(events.keyBy(event -> event.key), pattern(workload))
                .process(new Count())
                .sinkTo(new DiscardingSink<>()));
    }

    static Pattern<Flink.Event, ?> pattern(String workload) {
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

    private static Pattern<Flink.Event, Flink.Event> begin(int type) {
        return Pattern.<Flink.Event>begin("first", AfterMatchSkipStrategy.noSkip()).where(is(type));
    }

    private static SimpleCondition<Flink.Event> is(int type) {
        return SimpleCondition.of(event -> event.type == type);
    }

    private static final class Higher extends IterativeCondition<Flink.Event> {
        @Override
        public boolean filter(Flink.Event event, Context<Flink.Event> context) throws Exception {
            return event.value > context.getEventsForPattern("first").iterator().next().value * 1.5;
        }
    }

    private static final class Lower extends IterativeCondition<Flink.Event> {
        @Override
        public boolean filter(Flink.Event event, Context<Flink.Event> context) throws Exception {
            return event.value < context.getEventsForPattern("second").iterator().next().value;
        }
    }

    /** The places of the events of a match, in the order of time. */
    static long[] places(Map<String, List<Flink.Event>> match) {
        List<Flink.Event> first = match.get("first");
        if (first.size() == 3) {
            return new long[] {first.get(0).place, first.get(1).place, first.get(2).place};
        }
        long second = match.get("second").get(0).place;
        return match.containsKey("third")
                ? new long[] {first.get(0).place, second, match.get("third").get(0).place}
                : new long[] {first.get(0).place, second};
    }

    private static final class Count extends PatternProcessFunction<Flink.Event, Long> {
        @Override
        public void processMatch(Map<String, List<Flink.Event>> match, Context context, Collector<Long> out) {
            long[] places = places(match);
            if (places.length == 2) {
                Flink.matches.add(places[0], places[1]);
            } else {
                Flink.matches.add(places[0], places[1], places[2]);
            }
        }
    }
}
