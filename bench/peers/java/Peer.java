import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * What all peers share: the events, the word to run, and how matches are counted and compared.
 *
 * <p>A peer is started once and takes orders, so that it is warm, the sides can take turns, and several of them and
 * several questions can have it in common: `ask ASKED` gets it ready for a question, `run EVENTS COUNT PARALLELISM`
 * runs over the first events of a folder of Parquet files, or of a file of plain columns; with `FROM TO RATE` behind it
 * at a pace. It answers with a line of JSON; a run with how many
 * matches there were, and a sum over them that depends on which they are but not on their order.
 */
final class Peer {
    /** The events in the order of time, as columns; the place of an event is its identity. */
    static final class Events {
        final byte[] types;
        final long[] times;
        final long[] keys;
        final double[] values;

        Events(int count) {
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
            return read(file, (int) (Files.size(file) / 25));
        }

        /** The first of them. */
        private static Events read(Path file, int count) throws IOException {
            try (FileChannel channel = FileChannel.open(file)) {
                long all = channel.size() / 25;
                Events events = new Events(count);
                column(channel, 0, count).get(events.types);
                column(channel, all, 8L * count).asLongBuffer().get(events.times);
                column(channel, 9 * all, 8L * count).asLongBuffer().get(events.keys);
                column(channel, 17 * all, 8L * count).asDoubleBuffer().get(events.values);
                return events;
            }
        }

        private static ByteBuffer column(FileChannel channel, long start, long length) throws IOException {
            return channel.map(FileChannel.MapMode.READ_ONLY, start, length).order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    /**
     * When each event is due: the first ones at once, the others at a fixed rate, whether the engine is ready or not.
     * From then on counts how long it takes until a match is told; that one is made by a single thread.
     */
    static final class Pace {
        private final int from;
        private final int to;
        private final double gap;
        private final long[] waits;
        private int noted;
        private long start;

        /** The events before `from` come as fast as possible, those before `to` at the rate. */
        Pace(int from, int to, double rate) {
            this.from = from;
            this.to = to;
            gap = 1e9 / rate;
            waits = new long[Math.max(1, to - from)];
        }

        void await(int place) {
            if (place < from) {
                return;
            }
            if (start == 0) {
                start = System.nanoTime();
            }
            while (System.nanoTime() < due(place)) {
                Thread.onSpinWait();
            }
        }

        private long due(long place) {
            return start + (long) ((place - from) * gap);
        }

        private void note(long last) {
            if (last >= from && noted < waits.length) {
                waits[noted++] = System.nanoTime() - due(last);
            }
        }

        /** The wait, in seconds, that this share of the matches did not exceed. */
        double quantile(double share) {
            long[] sorted = Arrays.copyOf(waits, noted);
            Arrays.sort(sorted);
            return noted == 0 ? 0 : sorted[(int) Math.min(noted - 1, Math.floor(share * noted))] / 1e9;
        }
    }

    /** How many matches there were, and which; any number of threads may add. */
    static final class Matches {
        final LongAdder count = new LongAdder();
        final LongAdder sum = new LongAdder();
        private final Pace pace;

        Matches(Pace pace) {
            this.pace = pace;
        }

        /** The places of the events of a match, in their order; before them the number of the rule, if it has one. */
        void add(long... places) {
            long hash = mixed(places[0] + 1);
            for (int at = 1; at < places.length; at++) {
                hash = mixed(hash + places[at]);
            }
            count.increment();
            sum.add(hash);
            if (pace != null) {
                pace.note(places[places.length - 1]);
            }
        }

        /** Wait until an event is due; without a pace it always is. */
        void await(int place) {
            if (pace != null) {
                pace.await(place);
            }
        }

        /** How many of so many events are to be fed. */
        int of(int count) {
            return pace == null ? count : Math.min(count, pace.to);
        }

        /** The finaliser of splitmix64. */
        private static long mixed(long x) {
            x = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
            x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
            return x ^ (x >>> 31);
        }
    }

    /** One run over events. */
    interface Run {
        void run(Events events, int parallelism, Matches matches) throws Exception;
    }

    /** Gets ready for a question; checkpoints may go into the folder. */
    interface Program {
        Run ready(Asked asked, Path folder) throws Exception;
    }

    /** Some of the work of a run: that for the keys of one part. */
    interface Part {
        void run(int part) throws Exception;
    }

    /** Takes an event, its place, key and value, for one of the streams that are asked for. */
    interface Engine {
        void take(String stream, long time, Object[] event) throws Exception;
    }

    private Peer() {}

    /** Gives an engine the events of one part that are asked for, each when it is due; says when its clock is to end. */
    static long feed(Asked asked, Events events, int part, int parts, Matches matches, Engine engine)
            throws Exception {
        int end = matches.of(events.count());
        for (int place = 0; place < end; place++) {
            int type = events.types[place];
            long key = events.keys[place];
            double value = events.values[place];
            Asked.Query query = asked.of(key);
            if (asked.wants(type, value) && key % parts == part && query != null && query.streams()[type] != null) {
                matches.await(place);
                engine.take(query.streams()[type], events.times[place], new Object[] {(long) place, key, value});
            }
        }
        return events.times[end - 1] + asked.rest;
    }

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

    /** Follow each order. Whatever else is printed goes to the errors: answers are all that is said. */
    static void serve(Program peer) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err);
        BufferedReader words = new BufferedReader(new InputStreamReader(System.in));
        Asked asked = null;
        Run ready = null;
        for (String line = words.readLine(); line != null; line = words.readLine()) {
            String[] order = line.split(" ");
            if (order[0].equals("ask")) {
                Path file = Path.of(order[1]);
                asked = Asked.read(file);
                ready = peer.ready(asked, file.getParent());
                answers.println("{\"ready\": true}");
            } else {
                answers.println(ran(ready, asked, order));
            }
            answers.flush();
        }
    }

    private static String ran(Run ready, Asked asked, String[] order) throws Exception {
        Pace pace = order.length > 4 ? pace(Arrays.copyOfRange(order, 4, 7)) : null;
        Matches matches = new Matches(pace);
        Path given = Path.of(order[1]);
        int count = Integer.parseInt(order[2]);
        int parallelism = Integer.parseInt(order[3]);
        long start = System.nanoTime();
        Events events = Files.isDirectory(given)
                ? Parquet.read(given, count, asked, parallelism)
                : Events.read(given, count);
        ready.run(events, parallelism, matches);
        double seconds = (System.nanoTime() - start) / 1e9;
        return String.format(
                "{\"seconds\": %s, \"matches\": %d, \"sum\": %s, \"p50\": %s, \"p99\": %s}",
                seconds, matches.count.sum(), Long.toUnsignedString(matches.sum.sum()),
                pace == null ? null : pace.quantile(0.5), pace == null ? null : pace.quantile(0.99));
    }

    private static Pace pace(String[] words) {
        return new Pace(Integer.parseInt(words[0]), Integer.parseInt(words[1]), Double.parseDouble(words[2]));
    }
}
