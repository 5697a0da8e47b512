import io.siddhi.core.SiddhiAppRuntime;
import io.siddhi.core.SiddhiManager;
import io.siddhi.core.event.Event;
import io.siddhi.core.stream.input.InputHandler;
import io.siddhi.core.stream.output.StreamCallback;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Siddhi, patterns in SiddhiQL.
 *
 * <p>The time is that of the events. Siddhi counts it in milliseconds and is given microseconds for them; durations are
 * multiplied alike. With parallelism, keys are divided among applications with a thread each.
 */
public final class Siddhi {
    public static void main(String[] arguments) throws Exception {
        SiddhiManager manager = new SiddhiManager();
        Peer.serve((asked, folder) -> (events, parallelism, matches) -> Peer.inParts(parallelism, part -> {
            List<Asked.Query> queries = asked.of(part, parallelism);
            String application = asked.preface
                    + queries.stream().map(Asked.Query::text).collect(Collectors.joining(" "));
            SiddhiAppRuntime runtime = manager.createSiddhiAppRuntime(application);
            for (Asked.Query query : queries) {
                listen(runtime, query, matches);
            }
            feed(runtime, asked, events, part, parallelism, matches);
            runtime.shutdown();
        }));
    }

    /** What a question finds goes to a stream of its own: Found, with the number of the rule if it has one. */
    private static void listen(SiddhiAppRuntime runtime, Asked.Query query, Peer.Matches matches) {
        runtime.addCallback("Found" + (query.rule() < 0 ? "" : query.rule()), new StreamCallback() {
            @Override
            public void receive(Event[] found) {
                for (Event match : found) {
                    matches.add(query.match(at -> (Long) match.getData((int) at)));
                }
            }
        });
    }

    private static void feed(
            SiddhiAppRuntime runtime, Asked asked, Peer.Events events, int part, int parts, Peer.Matches matches)
            throws Exception {
        InputHandler[] streams = new InputHandler[asked.types.length];
        for (int type = 0; type < streams.length; type++) {
            streams[type] = asked.types[type] == null ? null : runtime.getInputHandler(asked.types[type]);
        }
        InputHandler clock = asked.rest > 0 ? runtime.getInputHandler("Clock") : null;
        runtime.start();
        long end = Peer.feed(
                asked, events, part, parts, matches, (type, time, event) -> streams[type].send(time, event));
        if (clock != null) {
            clock.send(end, new Object[] {0L});
        }
    }
}
