import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.PatternStream;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/**
 * Flink CEP, its Pattern API. What is asked are steps, as text ({@link Step}), behind them the microseconds of `within`.
 *
 * <p>A match has to end before the whole of `within` is over, ours may end with it: hence the one microsecond more.
 */
public final class FlinkCep {
    public static void main(String[] arguments) throws Exception {
        Flink.serve(arguments, (flink, events, asked) -> {
            for (Asked.Query query : asked.queries) {
                found(events, query).process(new Count(query)).sinkTo(new DiscardingSink<>());
            }
        });
    }

    static PatternStream<Flink.Event> found(SingleOutputStreamOperator<Flink.Event> events, Asked.Query query) {
        String[] words = query.text().split("; ");
        List<Step> steps = new ArrayList<>();
        for (int at = 0; at < words.length - 1; at++) {
            steps.add(Step.read(words[at]));
        }
        Duration within = Duration.ofMillis(Long.parseLong(words[words.length - 1]) + 1);
        return CEP.pattern(partitioned(events, query, steps), pattern(steps, within));
    }

    /** By key, where all steps have it in common; else everything in one partition. Rules take their keys alone. */
    private static KeyedStream<Flink.Event, Long> partitioned(
            SingleOutputStreamOperator<Flink.Event> events, Asked.Query query, List<Step> steps) {
        boolean byKey = steps.stream().allMatch(step -> step.byKey);
        SingleOutputStreamOperator<Flink.Event> some = Flink.wanted(events, query);
        return byKey ? some.keyBy(event -> event.key, Types.LONG) : some.keyBy(event -> 0L, Types.LONG);
    }

    private static Pattern<Flink.Event, ?> pattern(List<Step> steps, Duration within) {
        boolean byKey = steps.stream().allMatch(step -> step.byKey);
        Pattern<Flink.Event, Flink.Event> made = null;
        for (int at = 0; at < steps.size(); at++) {
            Step step = steps.get(at);
            String name = Step.name(at);
            if (made == null) {
                made = Pattern.begin(name, AfterMatchSkipStrategy.noSkip());
            } else if (step.not) {
                made = made.notFollowedBy(name);
            } else {
                made = step.any ? made.followedByAny(name) : made.followedBy(name);
            }
            made = made.where(step.condition(at > 0 && !byKey));
            made = step.times > 1 ? made.times(step.times) : made;
        }
        return made.within(within);
    }

    /** The places of the events of a match, in the order of time. */
    static long[] places(Map<String, List<Flink.Event>> match, int width) {
        long[] places = new long[width];
        int found = 0;
        for (int at = 0; found < width; at++) {
            for (Flink.Event event : match.getOrDefault(Step.name(at), List.of())) {
                places[found++] = event.place;
            }
        }
        return places;
    }

    private static final class Count extends PatternProcessFunction<Flink.Event, Long> {
        private final Asked.Query query;

        Count(Asked.Query query) {
            this.query = query;
        }

        @Override
        public void processMatch(Map<String, List<Flink.Event>> match, Context context, Collector<Long> out) {
            long[] places = places(match, query.width());
            Flink.matches.add(query.match(Flink.events.keys, at -> places[(int) at]));
        }
    }
}
