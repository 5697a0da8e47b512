import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * What all peers share: the events, the word to run, and how matches are counted and compared.
 *
 * <p>A peer is started once and runs each time a line comes in, so that it is warm and the sides can take turns. It
 * answers with a line of JSON: how many matches, and a sum over them that depends on which they are but not on their
 * order.
 */
final class Peer {
    /** The events in the order of time, as columns; the place of an event is its identity. */
    static final class Events {
        final byte[] types;
        final long[] times;
        final long[] keys;
        final double[] values;

        private Events(int count) {
            types = new byte[count];
            times = new long[count];
            keys = new long[count];
            values = new double[count];
        }

        int count() {
            return types.length;
        }

        /** The columns, one after the other and little-endian: types, times (µs), keys, values; 25 bytes an event. */
        static Events read(Path file) throws IOException {
            try (FileChannel channel = FileChannel.open(file)) {
                int count = (int) (channel.size() / 25);
                Events events = new Events(count);
                column(channel, 0, count).get(events.types);
                column(channel, count, 8L * count).asLongBuffer().get(events.times);
                column(channel, 9L * count, 8L * count).asLongBuffer().get(events.keys);
                column(channel, 17L * count, 8L * count).asDoubleBuffer().get(events.values);
                return events;
            }
        }

        private static ByteBuffer column(FileChannel channel, long start, long length) throws IOException {
            return channel.map(FileChannel.MapMode.READ_ONLY, start, length).order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    /** How many matches there were, and which; any number of threads may add. */
    static final class Matches {
        final LongAdder count = new LongAdder();
        final LongAdder sum = new LongAdder();

        /** The places of the events of a match, in their order; before them the number of the rule, if it has one. */
        void add(long... places) {
            long hash = mixed(places[0] + 1);
            for (int at = 1; at < places.length; at++) {
                hash = mixed(hash + places[at]);
            }
            count.increment();
            sum.add(hash);
        }

        /** The finaliser of splitmix64. */
        private static long mixed(long x) {
            x = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
            x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
            return x ^ (x >>> 31);
        }
    }

    /** One run over all events. */
    interface Run {
        void run(Matches matches) throws Exception;
    }

    /** Some of the work of a run: that for the keys of one part. */
    interface Part {
        void run(int part) throws Exception;
    }

    private Peer() {}

    /** A thread for each part, until all are done; what fails in one of them fails the run. */
    static void inParts(int parts, Part work) throws Exception {
        Thread[] threads = new Thread[parts];
        AtomicReference<Throwable> failed = new AtomicReference<>();
        for (int part = 0; part < parts; part++) {
            int mine = part;
            threads[part] = new Thread(() -> {
                try {
                    work.run(mine);
                } catch (Throwable error) {
                    failed.set(error);
                }
            });
            threads[part].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failed.get() != null) {
            throw new IllegalStateException(failed.get());
        }
    }

    /** Run for each line that comes in. Whatever else is printed goes to the errors: answers are all that is said. */
    static void serve(Run run) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err);
        BufferedReader words = new BufferedReader(new InputStreamReader(System.in));
        answers.println("{\"ready\": true}");
        answers.flush();
        while (words.readLine() != null) {
            Matches matches = new Matches();
            long start = System.nanoTime();
            run.run(matches);
            double seconds = (System.nanoTime() - start) / 1e9;
            answers.printf(
                    "{\"seconds\": %s, \"matches\": %d, \"sum\": %s}%n",
                    seconds, matches.count.sum(), Long.toUnsignedString(matches.sum.sum()));
            answers.flush();
        }
    }
}
