/**
 * Pure: prose without praise, filler and boilerplate. Whole sentences go, and openers that say nothing; code, quotes and links are not
 * looked into. What would leave nothing stays as it is.
 */

/** A sentence that is only kindness or service. Matched against a whole sentence without its end. */
const SENTENCES: readonly RegExp[] = [
  /^(?:(?:what an? |this is an? |that(?:'s| is) an? |such an? )?(?:really |very |absolutely )?(?:great|good|nice|excellent|fantastic|awesome|amazing|wonderful|brilliant|superb|sharp) (?:catch|point|find|spot|eye|idea|suggestion|question|observation|feedback|call|review|work|job)(?: (?:here|there|on this|@?[\w-]+))?)$/i,
  /^(?:well spotted|good eye|nicely done|well done|you(?:'re| are) (?:absolutely |totally |completely |quite )?(?:right|correct)|absolutely|certainly|of course|sure(?: thing)?|definitely|totally|indeed|understood|noted|got it|no problem|makes sense|great|perfect|awesome)$/i,
  /^(?:many |so many )?(?:thanks?|thank you)(?: (?:you|so much|very much|a lot|again|kindly))*(?: for .{1,120})?$/i,
  /^(?:i |we )?(?:really |truly |greatly )?appreciate .{1,120}$/i,
  /^(?:please )?(?:let me know|let us know|feel free|don't hesitate|do not hesitate|reach out)\b.{0,160}$/i,
  /^(?:i )?hope (?:this|that|it) (?:helps|clarifies|addresses|makes sense|works)\b.{0,80}$/i,
  /^(?:i'm |i am |we're |we are )?(?:happy|glad|pleased) to (?:help|assist|clarify|discuss|elaborate)\b.{0,80}$/i,
  /^(?:(?:my |our )?(?:sincere |deepest )?apologies|(?:i'm |i am |we're |we are )?(?:so |very )?sorry|(?:i|we) apologi[sz]e)(?: (?:for|about) .{1,120})?$/i,
  /^as an? (?:ai|large language model|language model|assistant)\b.{0,160}$/i,
  /^(?:🤖 ?)?(?:generated|created|written|made) (?:with|by|using) .{1,120}$/iu,
  /^have a (?:great|nice|good) .{1,40}$/i,
  /^looking forward to .{1,80}$/i,
];

/** Words in front of a sentence that has something to say. */
const OPENERS: readonly RegExp[] = [
  /^(?:great|good|nice|excellent|fantastic|fair) (?:catch|point|find|question|observation|suggestion)[,:]\s+(?=\S)/i,
  /^(?:you(?:'re| are) (?:absolutely |totally |completely |quite )?right)[,:]\s+(?:and |so |but )?(?=\S)/i,
  /^(?:thanks|thank you)(?: so much| very much| a lot)?(?: for [^.,;:!]{1,80})?[,:]\s+(?:and |so |but )?(?=\S)/i,
  /^(?:certainly|absolutely|of course|sure|definitely|indeed|basically|essentially|actually|honestly|frankly|to be honest|in short|simply put)[,:]\s+(?=\S)/i,
  /^(?:please note|it(?:'s| is) (?:worth noting|important to note|worth mentioning|worth pointing out)|it should be noted|i(?:'d| would) like to (?:note|point out|mention)|note) that\s+(?=\S)/i,
  /^(?:at the end of the day|needless to say|as you (?:can see|know|may know)|that being said|with that said|having said that)[,:]?\s+(?=\S)/i,
];

const WORDY: readonly (readonly [RegExp, string])[] = [
  [/\bin order to\b/gi, "to"],
  [/\bdue to the fact that\b/gi, "because"],
  [/\bat this point in time\b/gi, "now"],
  [/\bprior to\b/gi, "before"],
  [/\bin the event that\b/gi, "if"],
];

const capital = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
const sameCase = (from: string, to: string): string => (/^\p{Lu}/u.test(from) ? capital(to) : to);

const bare = (sentence: string): string =>
  sentence
    .replaceAll(/[\p{Extended_Pictographic}\u{fe0f}\u{200d}]/gu, "")
    .replace(/^[\s>*_-]+|[\s.!…*_]+$/g, "")
    .trim();

const plainSentence = (sentence: string): string => {
  if (SENTENCES.some((pattern) => pattern.test(bare(sentence)))) return "";
  let text = sentence;
  for (let round = 0; round < 3; round += 1) {
    const before = text;
    for (const opener of OPENERS) text = text.replace(opener, "");
    if (text === before) break;
    text = capital(text);
  }
  for (const [wordy, short] of WORDY) text = text.replaceAll(wordy, (found) => sameCase(found, short));
  return text;
};

/** Sentences of one line of prose; a code span or a link holds no end of one. */
const sentencesOf = (line: string): readonly string[] => {
  const sentences: string[] = [];
  let from = 0;
  let code = false;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === "`") code = !code;
    // A place and a colon (`(src/a.ts:2):`) stand in front of a sentence, too.
    const ends = /[.!?]/.test(line[at] ?? "") || (line[at] === ":" && line[at - 1] === ")");
    if (code || !ends || !/^\s+(?=\S)/.test(line.slice(at + 1, at + 40))) continue;
    sentences.push(line.slice(from, at + 1));
    from = at + 1;
  }
  sentences.push(line.slice(from));
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== "");
};

/** Prose of a line that is neither quoted, indented code, a table nor a heading. */
const isProse = (line: string): boolean => line.trim() !== "" && !/^(?:\s*>|\s*\||\s*#{1,6}\s|\s*<|    |\t)/.test(line);

export const plainText = (text: string): string => {
  let fenced = false;
  const out: string[] = [];
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    if (/^\s*(?:`{3,}|~{3,})/.test(line)) fenced = !fenced;
    if (fenced || !isProse(line)) {
      out.push(line);
      continue;
    }
    const lead = /^\s*(?:[-*+]|\d{1,3}[.)])\s+/.exec(line)?.[0] ?? "";
    const kept = sentencesOf(line.slice(lead.length))
      .map(plainSentence)
      .filter((sentence) => sentence !== "");
    if (kept.length > 0) out.push(`${lead}${kept.join(" ")}`);
  }
  const plain = out
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
  return plain === "" ? text : plain;
};
