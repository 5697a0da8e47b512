import java.util.Collection;
import org.apache.flink.state.rocksdb.RocksDBOptionsFactory;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.ReadOptions;

/**
 * Lets RocksDB end a search where the entries of a key end.
 *
 * <p>For each event, CEP asks several times what is in a map of the event's key, and mostly there is nothing, or nothing
 * any more. RocksDB then goes on to the next entry of any key that has not been deleted. CEP deletes nearly all that it
 * writes, so there are thousands of deleted ones between: this is where most of the time went.
 *
 * <p>An entry begins with its group of keys (one byte, as there are at most 128) and its key (a long). Timers begin
 * otherwise, and so have to be on the heap.
 */
public final class Bounded implements RocksDBOptionsFactory {
    private static final int KEY = 1 + 8;

    @Override
    public DBOptions createDBOptions(DBOptions options, Collection<AutoCloseable> toClose) {
        return options;
    }

    @Override
    public ColumnFamilyOptions createColumnOptions(ColumnFamilyOptions options, Collection<AutoCloseable> toClose) {
        return options.useFixedLengthPrefixExtractor(KEY);
    }

    @Override
    public ReadOptions createReadOptions(ReadOptions options, Collection<AutoCloseable> toClose) {
        return options.setPrefixSameAsStart(true);
    }
}
