import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What a peer is asked, from a file: a line for each thing, its words separated by tabs. asked.py writes it.
 *
 * <p>The questions themselves are in the peer's own language, so that nothing here knows one workload from another.
 */
final class Asked {
    /**
     * One question: how many events make up a match, what its own streams of the classes are called (null: it does not
     * ask for them), and for each key the number of the rule that it has here, or -1; without rules it takes all keys.
     */
    record Query(int width, String[] streams, long[] rules, String text) implements Serializable {
        boolean takes(long key) {
            return rules == null || key < rules.length && rules[(int) key] >= 0;
        }

        /** What is counted of a match, given the key of each place and how to get the place of each of its events. */
        long[] match(long[] keys, LongUnaryOperator place) {
            int before = rules == null ? 0 : 1;
            long[] found = new long[before + width];
            for (int at = 0; at < width; at++) {
                found[before + at] = place.applyAsLong(at);
            }
            if (rules != null) {
                found[0] = rules[(int) keys[(int) found[1]]];
            }
            return found;
        }
    }

    /** The classes of events; those that nobody asks for are null, and whoever uses an engine leaves them out first. */
    final String[] types;
    /** Events with a value that is not above this are left out too. */
    final double above;
    /** How late events may be, in microseconds. */
    final long delay;
    /** How far the clock goes on after the last event, in microseconds. */
    final long rest;
    /** Whether anybody asks for the events' values. */
    final boolean valued;
    /** Text before all questions, where a language needs that. */
    final String preface;
    final List<Query> queries = new ArrayList<>();
    /** Keys below this may have a rule; 0 if there are none. */
    private final int most;
    private final Query[] byKey;

    private Asked(List<String> lines) {
        types = words(lines.get(0), "\t");
        above = Double.parseDouble(lines.get(1));
        delay = Long.parseLong(lines.get(2));
        rest = Long.parseLong(lines.get(3));
        valued = Boolean.parseBoolean(lines.get(4));
        preface = lines.get(5);
        for (String line : lines.subList(6, lines.size())) {
            String[] parts = line.split("\t", 4);
            queries.add(new Query(Integer.parseInt(parts[0]), words(parts[1], ","), rules(parts[2]), parts[3]));
        }
        most = queries.stream().mapToInt(query -> query.rules() == null ? 0 : query.rules().length).max().orElse(0);
        byKey = new Query[most];
        for (Query query : queries) {
            for (int key = 0; key < (query.rules() == null ? 0 : query.rules().length); key++) {
                byKey[key] = query.takes(key) ? query : byKey[key];
            }
        }
    }

    static Asked read(Path file) throws IOException {
        return new Asked(Files.readAllLines(file));
    }

    private static String[] words(String line, String between) {
        String[] found = line.split(between, -1);
        for (int at = 0; at < found.length; at++) {
            found[at] = found[at].isEmpty() ? null : found[at];
        }
        return found;
    }

    boolean wants(int type, double value) {
        return wants(types, above, type, value);
    }

    /** The same without all that is asked, for those who send functions about; unknown classes have no number. */
    static boolean wants(String[] types, double above, int type, double value) {
        return type >= 0 && types[type] != null && value > above;
    }

    /** The question that a key belongs to; null if no rule is about it. Without rules there is one question for all. */
    Query of(long key) {
        return most == 0 ? queries.get(0) : key < most ? byKey[(int) key] : null;
    }

    /** Pairs of a key and the number of its rule. */
    private static long[] rules(String text) {
        if (text.isEmpty()) {
            return null;
        }
        long[] pairs = Stream.of(text.split(",")).mapToLong(Long::parseLong).toArray();
        long last = IntStream.range(0, pairs.length / 2).mapToLong(at -> pairs[2 * at]).max().getAsLong();
        long[] found = new long[(int) last + 1];
        Arrays.fill(found, -1);
        for (int at = 0; at < pairs.length; at += 2) {
            found[(int) pairs[at]] = pairs[at + 1];
        }
        return found;
    }
}
