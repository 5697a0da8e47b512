import com.espertech.esper.common.client.EPCompiled;
import com.espertech.esper.common.client.EventBean;
import com.espertech.esper.common.client.configuration.Configuration;
import com.espertech.esper.compiler.client.CompilerArguments;
import com.espertech.esper.compiler.client.EPCompilerProvider;
import com.espertech.esper.runtime.client.EPEventService;
import com.espertech.esper.runtime.client.EPRuntime;
import com.espertech.esper.runtime.client.EPRuntimeProvider;
import com.espertech.esper.runtime.client.EPStatement;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Esper, patterns in EPL.
 *
 * <p>The time is that of the events, in microseconds. With parallelism, keys are divided among runtimes with a thread
 * each: that is how Esper is spread over cores where partitions do not depend on each other.
 */
public final class Esper {
    private static final String[] NAMES = {"place", "key", "value"};
    private static final Object[] KINDS = {long.class, long.class, double.class};

    private static int runs = 0;

    public static void main(String[] arguments) throws Exception {
        Peer.serve((asked, folder) -> ready(asked));
    }

    private static Peer.Run ready(Asked asked) throws Exception {
        Configuration settings = settings(asked);
        Map<Asked.Query, EPCompiled> compiled = new HashMap<>();
        for (Asked.Query query : asked.queries) {
            compiled.put(
                    query, EPCompilerProvider.getCompiler().compile(query.text(), new CompilerArguments(settings)));
        }
        return (events, parallelism, matches) -> {
            int run = runs++;
            Peer.inParts(parallelism, part -> {
                EPRuntime runtime = EPRuntimeProvider.getRuntime("run" + run + "-" + part, settings);
                runtime.initialize();
                feed(runtime, asked, compiled, events, part, parallelism, matches);
                runtime.destroy();
            });
        };
    }

    private static Configuration settings(Asked asked) {
        Configuration settings = new Configuration();
        for (Asked.Query query : asked.queries) {
            for (String stream : query.streams()) {
                if (stream != null) {
                    settings.getCommon().addEventType(stream, NAMES, KINDS);
                }
            }
        }
        settings.getCommon().getTimeSource().setTimeUnit(TimeUnit.MICROSECONDS);
        settings.getRuntime().getThreading().setInternalTimerEnabled(false);
        settings.getRuntime().getThreading().setListenerDispatchPreserveOrder(false);
        settings.getRuntime().getThreading().setInsertIntoDispatchPreserveOrder(false);
        settings.getRuntime().getExecution().setPrioritized(false);
        return settings;
    }

    private static void feed(
            EPRuntime runtime, Asked asked, Map<Asked.Query, EPCompiled> compiled, Peer.Events events, int part, int parts,
            Peer.Matches matches) throws Exception {
        EPEventService service = runtime.getEventService();
        service.clockExternal();
        service.advanceTime(events.times[0]);
        for (Asked.Query query : asked.queries) {
            deploy(runtime, compiled.get(query), query, events, matches);
        }
        long end = Peer.feed(asked, events, part, parts, matches, (stream, time, event) -> {
            service.advanceTime(time);
            service.sendEventObjectArray(event, stream);
        });
        service.advanceTime(end);
    }

    private static void deploy(
            EPRuntime runtime, EPCompiled compiled, Asked.Query query, Peer.Events events, Peer.Matches matches)
            throws Exception {
        EPStatement statement = runtime.getDeploymentService().deploy(compiled).getStatements()[0];
        String[] columns = new String[query.width()];
        for (int at = 0; at < columns.length; at++) {
            columns[at] = "p" + at;
        }
        statement.addListener((found, gone, of, by) -> {
            for (EventBean match : found) {
                matches.add(query.match(events.keys, at -> (Long) match.get(columns[(int) at])));
            }
        });
    }
}
