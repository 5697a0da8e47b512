import com.espertech.esper.common.client.EPCompiled;
import com.espertech.esper.common.client.EventBean;
import com.espertech.esper.common.client.configuration.Configuration;
import com.espertech.esper.compiler.client.CompilerArguments;
import com.espertech.esper.compiler.client.EPCompilerProvider;
import com.espertech.esper.runtime.client.EPEventService;
import com.espertech.esper.runtime.client.EPRuntime;
import com.espertech.esper.runtime.client.EPRuntimeProvider;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Esper, patterns in EPL: Esper WORKLOAD EVENTS PARALLELISM
 *
 * <p>The time is that of the events, in microseconds. With parallelism, keys are divided among runtimes with a thread
 * each: that is how Esper is spread over cores where partitions do not depend on each other.
 */
public final class Esper {
    /** The classes of events; they share their properties. */
    public static class Event {
        private final long place;
        private final long key;
        private final double value;

        Event(long place, long key, double value) {
            this.place = place;
            this.key = key;
            this.value = value;
        }

        public long getPlace() {
            return place;
        }

        public long getKey() {
            return key;
        }

        public double getValue() {
            return value;
        }
    }

    public static final class A extends Event {
        A(long place, long key, double value) {
            super(place, key, value);
        }
    }

    public static final class B extends Event {
        B(long place, long key, double value) {
            super(place, key, value);
        }
    }

    public static final class C extends Event {
        C(long place, long key, double value) {
            super(place, key, value);
        }
    }

    public static final class D extends Event {
        D(long place, long key, double value) {
            super(place, key, value);
        }
    }

    public static void main(String[] arguments) throws Exception {
        String workload = arguments[0];
        Path file = Path.of(arguments[1]);
        int parallelism = Integer.parseInt(arguments[2]);
        Configuration settings = settings();
        EPCompiled compiled = EPCompilerProvider.getCompiler().compile(epl(workload), new CompilerArguments(settings));
        int[] run = {0};
        Peer.serve(matches -> {
            Peer.Events events = Peer.Events.read(file);
            run[0]++;
            Peer.inParts(parallelism, part ->
                    feed(settings, compiled, "run" + run[0] + "-" + part, workload, events, part, parallelism, matches));
        });
    }

    private static Configuration settings() {
        Configuration settings = new Configuration();
        for (Class<?> type : new Class<?>[] {A.class, B.class, C.class, D.class}) {
            settings.getCommon().addEventType(type);
        }
        settings.getCommon().getTimeSource().setTimeUnit(TimeUnit.MICROSECONDS);
        settings.getRuntime().getThreading().setInternalTimerEnabled(false);
        settings.getRuntime().getThreading().setListenerDispatchPreserveOrder(false);
        settings.getRuntime().getThreading().setInsertIntoDispatchPreserveOrder(false);
        settings.getRuntime().getExecution().setPrioritized(false);
        return settings;
    }

    private static void feed(
            Configuration settings, EPCompiled compiled, String name, String workload, Peer.Events events, int part,
            int parts, Peer.Matches matches) throws Exception {
        EPRuntime runtime = EPRuntimeProvider.getRuntime(name, settings);
        runtime.initialize();
        EPEventService service = runtime.getEventService();
        service.clockExternal();
        service.advanceTime(events.times[0]);
        runtime.getDeploymentService().deploy(compiled).getStatements()[0].addListener((found, gone, statement, of) -> {
            for (EventBean match : found) {
                if (workload.equals("W3")) {
                    matches.add((Long) match.get("p0"), (Long) match.get("p1"));
                } else {
                    matches.add((Long) match.get("p0"), (Long) match.get("p1"), (Long) match.get("p2"));
                }
            }
        });
        for (int place = 0; place < matches.of(events.count()); place++) {
            int type = events.types[place];
            long key = events.keys[place];
            double value = events.values[place];
            if (!Peer.wants(workload, type, value) || key % parts != part) {
                continue;
            }
            matches.await(place);
            service.advanceTime(events.times[place]);
            switch (type) {
                case Peer.A -> service.sendEventBean(new A(place, key, value), "A");
                case Peer.B -> service.sendEventBean(new B(place, key, value), "B");
                case Peer.C -> service.sendEventBean(new C(place, key, value), "C");
                default -> service.sendEventBean(new D(place, key, value), "D");
            }
        }
        runtime.destroy();
    }

    /** A match may end with the whole of the minute, which Esper excludes: hence the one microsecond more. */
    private static String epl(String workload) {
        String minute = "timer:within(60 seconds 1 microsecond)";
        return switch (workload) {
            case "W1" -> "select a.place as p0, b.place as p1, c.place as p2 from pattern "
                    + "[every a=A -> ((b=B(key = a.key) -> c=C(key = a.key)) where " + minute + ")]";
            case "W2" -> "select a.place as p0, b.place as p1, c.place as p2 from pattern "
                    + "[every a=A -> ((every b=B(key = a.key, value > a.value * 1.5) -> "
                    + "every c=C(key = a.key, value < b.value)) where " + minute + ")]";
            case "W3" -> "select a.place as p0, c.place as p1 from pattern "
                    + "[every a=A -> ((c=C(key = a.key) and not B(key = a.key)) where " + minute + ")]";
            case "W4" -> "select a.place as p0, b.place as p1, c.place as p2 from pattern "
                    + "[every a=D -> ((b=D(key = a.key) -> c=D(key = a.key)) "
                    + "where timer:within(30 seconds 1 microsecond))]";
            default -> throw new IllegalArgumentException(workload);
        };
    }
}
