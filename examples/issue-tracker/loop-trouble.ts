/**
 * A tracker of one's own: what the loop's machinery got wrong is filed there, once per pull request, by a program. Not the points of
 * reviewers, nor a red test: those are the pull request's.
 */
import { definePlugin } from "reviewloop";
import type { RemainingItem, Write } from "reviewloop";

interface Options {
  /** Program and first words; component and symptom are added as two more. */
  readonly command: readonly string[];
}

/** Codes of what nobody can mend in the pull request, and whose part of the machinery it is. */
const COMPONENTS: Readonly<Record<string, string>> = {
  "review-request-dropped": "reviewers",
  "review-request-refused": "reviewers",
  "checks-never": "ruleset",
};

const symptomOf = (item: RemainingItem): readonly [component: string, symptom: string] | undefined => {
  const component = COMPONENTS[item.code];
  return component === undefined ? undefined : [component, item.why];
};

export const loopTrouble = definePlugin<Options>({
  name: "loop-trouble",
  kind: "tool",
  schema: {
    type: "object",
    additionalProperties: false,
    properties: { command: { type: "array", items: { type: "string" }, minItems: 1 } },
  },
  defaults: { command: ["track", "file"] },
  on: {
    report: ({ report, writes }, ctx) => {
      const filed = report.remaining.flatMap((item): Write[] => {
        const symptom = symptomOf(item);
        if (symptom === undefined) return [];
        const [component, line] = symptom;
        const words = [...ctx.options.command, component, `${line} (${report.pullRequest.url})`];
        return [{ kind: "command", key: `loop-trouble:${item.code}`, preconditions: {}, command: words, why: `trouble with ${component}` }];
      });
      return { report, writes: [...writes, ...filed] };
    },
  },
});
