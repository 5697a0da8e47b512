import io.siddhi.core.SiddhiAppRuntime;
import io.siddhi.core.SiddhiManager;
import io.siddhi.core.event.Event;
import io.siddhi.core.stream.input.InputHandler;
import io.siddhi.core.stream.output.StreamCallback;
import java.util.HashMap;
import java.util.Map;
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
            String application = asked.preface
                    + asked.queries.stream().map(Asked.Query::text).collect(Collectors.joining(" "));
            SiddhiAppRuntime runtime = manager.createSiddhiAppRuntime(application);
            for (int number = 0; number < asked.queries.size(); number++) {
                listen(runtime, number, asked.queries.get(number), events, matches);
            }
            feed(runtime, asked, events, part, parallelism, matches);
            runtime.shutdown();
        }));
    }

    /** What a question finds goes to a stream of its own: Found, with its number if it is about rules. */
    private static void listen(
            SiddhiAppRuntime runtime, int number, Asked.Query query, Peer.Events events, Peer.Matches matches) {
        runtime.addCallback("Found" + (query.rules() == null ? "" : "_" + number), new StreamCallback() {
            @Override
            public void receive(Event[] found) {
                for (Event match : found) {
                    matches.add(query.match(events.keys, at -> (Long) match.getData((int) at)));
                }
            }
        });
    }

    private static void feed(
            SiddhiAppRuntime runtime, Asked asked, Peer.Events events, int part, int parts, Peer.Matches matches)
            throws Exception {
        Map<String, InputHandler> streams = new HashMap<>();
        for (Asked.Query query : asked.queries) {
            for (String stream : query.streams()) {
                if (stream != null) {
                    streams.put(stream, runtime.getInputHandler(stream));
                }
            }
        }
        InputHandler clock = asked.rest > 0 ? runtime.getInputHandler("Clock") : null;
        runtime.start();
        long end = Peer.feed(
                asked, events, part, parts, matches, (stream, time, event) -> streams.get(stream).send(time, event));
        if (clock != null) {
            clock.send(end, new Object[] {0L});
        }
    }
}
