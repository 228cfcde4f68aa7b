/** What runs by itself on each push: one job that goes from queued to done. It looks at nothing; the gate is the loop's own matter. */
import { BODIES } from "./render.js";
import { Agenda } from "./stage.js";
import type { Actor, Stage } from "./stage.js";

const words = BODIES.ci;

export interface WorkflowOptions {
  readonly conclusion?: "SUCCESS" | "FAILURE";
}

export const workflow = (stage: Stage, options: WorkflowOptions = {}): Actor & { run(): void } => {
  const { world, pullRequest } = stage;
  const { login } = words;
  const agenda = new Agenda(world, login);
  const of = (head: string) => ({
    repository: pullRequest.repository,
    head,
    name: words.name,
    workflow: { name: words.workflow, event: "pull_request" },
  });
  return {
    login,
    run: () => void world.setCheck(login, { ...of(pullRequest.head.sha), conclusion: options.conclusion ?? "SUCCESS" }),
    attach() {
      const end = world.on("pushed", (event) => {
        if (event.pullRequest?.id !== pullRequest.id) return;
        world.setCheck(login, { ...of(event.after), status: "QUEUED" });
        agenda.later(stage.pace.start, () => {
          world.setCheck(login, { ...of(event.after), status: "IN_PROGRESS" });
          agenda.later(stage.pace.work, () => {
            world.setCheck(login, { ...of(event.after), conclusion: options.conclusion ?? "SUCCESS" });
          });
        });
      });
      return () => {
        end();
        agenda.end();
      };
    },
  };
};
