import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.arrow.dataset.file.FileFormat;
import org.apache.arrow.dataset.file.FileSystemDatasetFactory;
import org.apache.arrow.dataset.jni.NativeMemoryPool;
import org.apache.arrow.dataset.scanner.ScanOptions;
import org.apache.arrow.dataset.scanner.Scanner;
import org.apache.arrow.dataset.source.Dataset;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;

/**
 * Events from the Parquet files of a folder, each named after the place of its first event, by Arrow's reader in C++.
 *
 * <p>Only the columns that are asked for are read; a thread for each part takes every so many-th file.
 */
final class Parquet {
    private static final int ROWS = 1 << 17;

    private final Asked asked;
    private final Peer.Events events;
    private final long[] names;

    private Parquet(Asked asked, int count) {
        this.asked = asked;
        events = new Peer.Events(count);
        names = Stream.of(asked.types).mapToLong(name -> name == null ? 0 : code(name)).toArray();
    }

    /** The first so many events. Those of classes that nobody asks for have the type -1. */
    static Peer.Events read(Path folder, int count, Asked asked, int parallelism) throws Exception {
        Parquet reading = new Parquet(asked, count);
        List<Path> files;
        try (Stream<Path> listed = Files.list(folder)) {
            files = listed.filter(file -> first(file) < count).sorted().toList();
        }
        try (BufferAllocator memory = new RootAllocator()) {
            Peer.inParts(parallelism, part -> {
                for (int at = part; at < files.size(); at += parallelism) {
                    reading.read(files.get(at), memory);
                }
            });
        }
        return reading.events;
    }

    private static int first(Path file) {
        return Integer.parseInt(file.getFileName().toString().replace(".parquet", ""));
    }

    private void read(Path file, BufferAllocator memory) throws Exception {
        String[] columns = asked.valued
                ? new String[] {"type", "time", "key", "value"}
                : new String[] {"type", "time", "key"};
        ScanOptions options = new ScanOptions(ROWS, Optional.of(columns));
        int place = first(file);
        try (FileSystemDatasetFactory factory = new FileSystemDatasetFactory(
                        memory, NativeMemoryPool.getDefault(), FileFormat.PARQUET, file.toUri().toString());
                Dataset dataset = factory.finish();
                Scanner scanner = dataset.newScan(options);
                ArrowReader reader = scanner.scanBatches()) {
            while (place < events.count() && reader.loadNextBatch()) {
                VectorSchemaRoot batch = reader.getVectorSchemaRoot();
                int rows = Math.min(batch.getRowCount(), events.count() - place);
                types((VarCharVector) batch.getVector("type"), place, rows);
                buffer(batch.getVector("time"), rows).asLongBuffer().get(events.times, place, rows);
                buffer(batch.getVector("key"), rows).asLongBuffer().get(events.keys, place, rows);
                if (asked.valued) {
                    buffer(batch.getVector("value"), rows).asDoubleBuffer().get(events.values, place, rows);
                }
                place += rows;
            }
        }
    }

    private static ByteBuffer buffer(FieldVector column, int rows) {
        return column.getDataBuffer().nioBuffer(0, 8 * rows).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void types(VarCharVector column, int place, int rows) {
        ArrowBuf offsets = column.getOffsetBuffer();
        ArrowBuf bytes = column.getDataBuffer();
        for (int row = 0; row < rows; row++) {
            int start = offsets.getInt(4L * row);
            int end = offsets.getInt(4L * row + 4);
            long code = 1;
            for (int at = start; at < end; at++) {
                code = 31 * code + bytes.getByte(at);
            }
            events.types[place + row] = type(code);
        }
    }

    /** A number for a name: longer ones could share one, which the sum over all matches would show. */
    private static long code(String name) {
        long code = 1;
        for (byte one : name.getBytes(StandardCharsets.UTF_8)) {
            code = 31 * code + one;
        }
        return code;
    }

    private byte type(long code) {
        for (int type = 0; type < names.length; type++) {
            if (names[type] == code) {
                return (byte) type;
            }
        }
        return -1;
    }
}
