// What differs from run to run (ports, folders, ids, times, counts of looks) is made the same.

const SPAN = String.raw`(?:\d+ min \d+ s|\d+ (?:ms|s))`;

export const normalised = ({ url, host, folder }) => {
  const ids = new Map();
  const idOf = (id) => {
    const key = id.slice(0, 10);
    if (!ids.has(key)) ids.set(key, `abcdef${String(ids.size + 1).padStart(4, "0")}`);
    return ids.get(key);
  };
  return (text) =>
    text
      .replaceAll(url, "https://github.test")
      .replaceAll(host, "github.test")
      // As a folder of the state.
      .replaceAll(host.replace(":", "%3a"), "github.test")
      .replaceAll(folder, "/home/ada")
      // Numbers of comments are as long, and stand behind a word.
      .replaceAll(/(?<![\w-])[0-9a-f]{10,40}\b|(?<=gates\/[\w.-]*-)[0-9a-f]{12}(?=\.log)/g, idOf)
      .replaceAll(/since \d\d:\d\d:\d\d, until \d\d:\d\d:\d\d \([^)]*left\)/g, "since 12:00:00, until 12:10:00 (TIME left)")
      .replaceAll(new RegExp(String.raw`\(${SPAN}\)`, "g"), "(TIME)")
      .replaceAll(new RegExp(String.raw`(in [a-z]+): ${SPAN}\)`, "g"), "$1: TIME)")
      .replaceAll(/\bgit \d+\.\d+[\d.]*/g, "git VERSION")
      .replaceAll(/\/bin\/sh: (?:line )?\d+: /g, "sh: ")
      .replaceAll(new RegExp(String.raw`, ${SPAN}, \d+ requests? to GitHub \(\d+ points?\)`, "g"), ", TIME, N requests to GitHub");
};

/** How often was looked while waiting is a matter of time: of a row of looks and waits one of each is kept. */
export const progressOnce = (text) => {
  const kept = [];
  let row = new Set();
  for (const line of text.split("\n")) {
    const kind = /^wait {2}/.test(line) ? line : /^ {2}\d+ threads?, \d+ open, head /.test(line) ? "read" : undefined;
    if (kind === undefined) row = new Set();
    else if (row.has(kind)) continue;
    else row.add(kind);
    kept.push(line);
  }
  return kept.join("\n");
};
