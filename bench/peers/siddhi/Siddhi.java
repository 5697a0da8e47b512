import io.siddhi.core.SiddhiAppRuntime;
import io.siddhi.core.SiddhiManager;
import io.siddhi.core.event.Event;
import io.siddhi.core.stream.input.InputHandler;
import io.siddhi.core.stream.output.StreamCallback;
import java.nio.file.Path;

/**
 * Siddhi, patterns in SiddhiQL: Siddhi WORKLOAD EVENTS PARALLELISM
 *
 * <p>The time is that of the events. Siddhi counts it in milliseconds and is given microseconds for them; durations are
 * multiplied alike. With parallelism, keys are divided among applications with a thread each. W2 cannot be said: a
 * condition takes the first event that meets it, and there is no way to ask for all of them.
 */
public final class Siddhi {
    public static void main(String[] arguments) throws Exception {
        String workload = arguments[0];
        Path file = Path.of(arguments[1]);
        int parallelism = Integer.parseInt(arguments[2]);
        String application = application(workload);
        SiddhiManager manager = new SiddhiManager();
        Peer.serve(matches -> {
            Peer.Events events = Peer.Events.read(file);
            Peer.inParts(parallelism, part ->
                    feed(manager.createSiddhiAppRuntime(application), workload, events, part, parallelism, matches));
        });
    }

    private static void feed(
            SiddhiAppRuntime runtime, String workload, Peer.Events events, int part, int parts, Peer.Matches matches)
            throws InterruptedException {
        runtime.addCallback("Found", new StreamCallback() {
            @Override
            public void receive(Event[] found) {
                for (Event match : found) {
                    Object[] places = match.getData();
                    if (places.length == 2) {
                        matches.add((Long) places[0], (Long) places[1]);
                    } else {
                        matches.add((Long) places[0], (Long) places[1], (Long) places[2]);
                    }
                }
            }
        });
        String[] names = workload.equals("W4") ? new String[] {"", "", "", "D"} : new String[] {"A", "B", "C"};
        InputHandler[] streams = new InputHandler[names.length];
        for (int type = 0; type < names.length; type++) {
            streams[type] = names[type].isEmpty() ? null : runtime.getInputHandler(names[type]);
        }
        runtime.start();
        for (int place = 0; place < matches.of(events.count()); place++) {
            int type = events.types[place];
            long key = events.keys[place];
            double value = events.values[place];
            if (Peer.wants(workload, type, value) && key % parts == part) {
                matches.await(place);
                streams[type].send(events.times[place], new Object[] {(long) place, key, value});
            }
        }
        runtime.shutdown();
    }

    private static String application(String workload) {
        return switch (workload) {
            case "W1" -> three("from every a=A -> b=B -> c=C within 60000000 milliseconds "
                    + "select a.place as p0, b.place as p1, c.place as p2");
            case "W3" -> three("from every a=A -> not B and c=C within 60000000 milliseconds "
                    + "select a.place as p0, c.place as p1");
            case "W4" -> "@app:playback define stream D (place long, key long, value double); "
                    + "partition with (key of D) begin "
                    + "from every a=D -> b=D -> c=D within 30000000 milliseconds "
                    + "select a.place as p0, b.place as p1, c.place as p2 insert into Found; end;";
            default -> throw new IllegalArgumentException(workload);
        };
    }

    private static String three(String query) {
        StringBuilder text = new StringBuilder("@app:playback ");
        for (String name : new String[] {"A", "B", "C"}) {
            text.append("define stream ").append(name).append(" (place long, key long, value double); ");
        }
        return text + "partition with (key of A, key of B, key of C) begin " + query + " insert into Found; end;";
    }
}
