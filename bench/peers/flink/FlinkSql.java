import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

/** Flink SQL, MATCH_RECOGNIZE; match_recognize.py has what is asked. */
public final class FlinkSql {
    public static void main(String[] arguments) throws Exception {
        Flink.serve(arguments, (flink, events, asked) -> {
            StreamTableEnvironment tables = StreamTableEnvironment.create(flink);
            Schema schema = Schema.newBuilder()
                    .column("type", "INT")
                    .column("place", "BIGINT")
                    .column("key", "BIGINT")
                    .column("value", "DOUBLE")
                    .columnByMetadata("at", "TIMESTAMP_LTZ(3)", "rowtime", true)
                    .watermark("at", "SOURCE_WATERMARK()")
                    .build();
            for (int number = 0; number < asked.queries.size(); number++) {
                Asked.Query query = asked.queries.get(number);
                String view = "events" + (query.rules() == null ? "" : "_" + number);
                tables.createTemporaryView(view, Flink.wanted(events, query), schema);
                tables.toDataStream(tables.sqlQuery(query.text()))
                        .map(row -> found(row, query))
                        .sinkTo(new DiscardingSink<>());
            }
        });
    }

    private static long found(Row match, Asked.Query query) {
        Flink.matches.add(query.match(Flink.events.keys, at -> (Long) match.getField("p" + at)));
        return 0;
    }
}
