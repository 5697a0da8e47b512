import java.io.Serializable;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;

/**
 * One step of a pattern, as text: the codes of its classes, and words that say more.
 *
 * <p>`1,2 times=2`: two events of these classes. `any` takes every such event, not only the next one. `not`: none comes.
 * `by=value` it has the value, not the key, of the first event in common with it. `over=1.5@0`: its value is above 1.5
 * times that of step 0; `under` likewise.
 */
final class Step implements Serializable {
    final Set<Integer> types = new HashSet<>();
    int times = 1;
    boolean any;
    boolean not;
    boolean byKey = true;
    private int than = -1;
    private double factor;
    private boolean over;

    private Step() {}

    static String name(int at) {
        return "step" + at;
    }

    static Step read(String text) {
        Step step = new Step();
        String[] words = text.split(" ");
        for (String type : words[0].split(",")) {
            step.types.add(Integer.parseInt(type));
        }
        for (int at = 1; at < words.length; at++) {
            String[] said = words[at].split("=");
            switch (said[0]) {
                case "any" -> step.any = true;
                case "not" -> step.not = true;
                case "times" -> step.times = Integer.parseInt(said[1]);
                case "by" -> step.byKey = !said[1].equals("value");
                case "over", "under" -> {
                    String[] parts = said[1].split("@");
                    step.over = said[0].equals("over");
                    step.factor = Double.parseDouble(parts[0]);
                    step.than = Integer.parseInt(parts[1]);
                }
                default -> throw new IllegalArgumentException(text);
            }
        }
        return step;
    }

    /** With `compared`, what it has in common with the first event is looked at here: there are no partitions. */
    IterativeCondition<Flink.Event> condition(boolean compared) {
        if (!compared && than < 0) {
            if (types.size() == 1) {
                int type = types.iterator().next();
                return SimpleCondition.of(event -> event.type == type);
            }
            return SimpleCondition.of(event -> types.contains(event.type));
        }
        return new IterativeCondition<>() {
            @Override
            public boolean filter(Flink.Event event, Context<Flink.Event> context) throws Exception {
                return types.contains(event.type) && (!compared || agrees(event, context)) && compares(event, context);
            }
        };
    }

    private boolean agrees(Flink.Event event, IterativeCondition.Context<Flink.Event> context) throws Exception {
        Flink.Event first = context.getEventsForPattern(name(0)).iterator().next();
        return byKey ? event.key == first.key : event.value == first.value;
    }

    private boolean compares(Flink.Event event, IterativeCondition.Context<Flink.Event> context) throws Exception {
        if (than < 0) {
            return true;
        }
        double limit = context.getEventsForPattern(name(than)).iterator().next().value * factor;
        return over ? event.value > limit : event.value < limit;
    }
}
