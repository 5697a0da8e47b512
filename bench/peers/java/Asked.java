import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * What a peer is asked, from a file: a line for each thing, its words separated by tabs. asked.py writes it.
 *
 * <p>The questions themselves are in the peer's own language, so that nothing here knows one workload from another.
 */
final class Asked {
    /** One question: how many events make up a match, the number of the rule (or -1), and its key (or -1). */
    record Query(int width, long rule, long key, String text) implements Serializable {
        /** What is counted of a match, given how to get the place of each of its events. */
        long[] match(LongUnaryOperator place) {
            int before = rule < 0 ? 0 : 1;
            long[] found = new long[before + width];
            found[0] = rule;
            for (int at = 0; at < width; at++) {
                found[before + at] = place.applyAsLong(at);
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

    private Asked(List<String> lines) {
        types = words(lines.get(0));
        above = Double.parseDouble(lines.get(1));
        delay = Long.parseLong(lines.get(2));
        rest = Long.parseLong(lines.get(3));
        valued = Boolean.parseBoolean(lines.get(4));
        preface = lines.get(5);
        for (String line : lines.subList(6, lines.size())) {
            String[] parts = line.split("\t", 4);
            queries.add(new Query(
                    Integer.parseInt(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]), parts[3]));
        }
    }

    static Asked read(Path file) throws IOException {
        return new Asked(Files.readAllLines(file));
    }

    private static String[] words(String line) {
        String[] found = line.split("\t", -1);
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

    /** The questions for one of several parts into which the keys are divided. */
    List<Query> of(int part, int parts) {
        return queries.stream().filter(query -> query.key() < 0 || query.key() % parts == part).toList();
    }
}
