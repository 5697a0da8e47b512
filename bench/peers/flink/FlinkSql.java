import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

/**
 * Flink SQL, MATCH_RECOGNIZE.
 *
 * <p>What lies between two events of a match has to be said too, since its patterns know no gaps. It gives at most one
 * match for each row with which one begins, so that W2, which asks for all, cannot be said.
 */
public final class FlinkSql {
    public static void main(String[] arguments) throws Exception {
        String query = query(arguments[0]);
        boolean two = arguments[0].equals("W3");
        Flink.serve(arguments, (flink, events) -> {
            StreamTableEnvironment tables = StreamTableEnvironment.create(flink);
            Schema schema = Schema.newBuilder()
                    .column("type", "INT")
                    .column("place", "BIGINT")
                    .column("key", "BIGINT")
                    .columnByMetadata("at", "TIMESTAMP_LTZ(3)", "rowtime", true)
                    .watermark("at", "SOURCE_WATERMARK()")
                    .build();
            tables.createTemporaryView("events", events, schema);
            tables.toDataStream(tables.sqlQuery(query))
                    .map(row -> found(row, two))
                    .sinkTo(new DiscardingSink<>());
        });
    }

    private static long found(Row match, boolean two) {
        long first = (Long) match.getField("p0");
        long second = (Long) match.getField("p1");
        if (two) {
            Flink.matches.add(first, second);
        } else {
            Flink.matches.add(first, second, (Long) match.getField("p2"));
        }
        return first;
    }

    private static String query(String workload) {
        String three = "a.place AS p0, b.place AS p1, c.place AS p2";
        return switch (workload) {
            case "W1" -> matched(three, "a x*? b y*? c", 60_000,
                    "a AS type = 0, x AS type <> 1, b AS type = 1, y AS type <> 2, c AS type = 2");
            case "W3" -> matched("a.place AS p0, c.place AS p1", "a x*? c", 60_000,
                    "a AS type = 0, x AS type = 0, c AS type = 2");
            case "W4" -> matched(three, "a b c", 30_000, "a AS type = 3, b AS type = 3, c AS type = 3");
            default -> throw new IllegalArgumentException(workload);
        };
    }

    private static String matched(String measures, String pattern, int seconds, String definitions) {
        return "SELECT p0, p1" + (measures.contains("p2") ? ", p2" : "")
                + " FROM events MATCH_RECOGNIZE (PARTITION BY key ORDER BY `at` MEASURES " + measures
                + " ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW PATTERN (" + pattern
                + ") WITHIN INTERVAL '" + seconds + ".001' SECOND(5, 3) DEFINE " + definitions + ")";
    }
}
