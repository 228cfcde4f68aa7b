/** What `demo --keep` and `sandbox` have in common: lines to try, and a stay until Ctrl-C. */
import type { GhEntrance } from "../../sandbox/scenes/gh.js";
import type { ServedScene } from "../../sandbox/scenes/serve.js";
import type { Surroundings } from "../surroundings.js";

/** The environment that leads to the sandbox, and nowhere else. */
export const environmentFor = (served: ServedScene): Readonly<Record<string, string>> => ({
  GITHUB_API_URL: served.sandbox.apiUrl,
  GITHUB_GRAPHQL_URL: served.sandbox.graphqlUrl,
  GH_TOKEN: served.token,
});

/** Lines for another terminal; each works as it stands. */
export const linesToTry = (served: ServedScene, gh: GhEntrance): readonly string[] => {
  const { scene, sandbox, token, cloneUrl } = served;
  const { number, head } = scene.pullRequest;
  const at = new URL(cloneUrl);
  at.username = scene.author;
  at.password = token;
  const signed = `GH_CONFIG_DIR=${gh.configFolder} GH_TOKEN=${token}`;
  return [
    `${signed} gh pr view ${number} -R ${scene.repository} --comments`,
    `${signed} gh api repos/${scene.repository}/pulls/${number}/comments --paginate --jq '.[].body'`,
    `curl -H 'Authorization: Bearer ${token}' ${sandbox.apiUrl}/repos/${scene.repository}/pulls/${number}`,
    `curl -H 'Authorization: Bearer ${token}' ${sandbox.graphqlUrl} -d '{"query":"{ viewer { login } }"}'`,
    `git clone --branch ${head.branch} ${at.href}`,
  ];
};

/** Ends when Ctrl-C is pressed. */
export const untilInterrupted = (surroundings: Surroundings): Promise<void> =>
  new Promise((resolve) => {
    // Something must keep the process alive that waits for nothing but a signal.
    const alive = setInterval(() => {}, 60_000);
    const forget = surroundings.onInterrupt(() => {
      clearInterval(alive);
      forget();
      resolve();
    });
  });
