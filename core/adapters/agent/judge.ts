/** Is this the answer to that task? Asked by us of every answer, and by the server through which some clients hand theirs in. */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { ANSWER_LIMITS, answerProblems, type AnswerLimits } from "../../agents/answers.js";
import type { AgentTask } from "../../ports.js";

const ajv = new Ajv({ allErrors: true, strict: false });
const validators = new Map<string, ValidateFunction>();
const validatorOf = (schema: object): ValidateFunction => {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known !== undefined) return known;
  const made = ajv.compile(JSON.parse(key) as object);
  validators.set(key, made);
  return made;
};

const sentence = (error: ErrorObject): string => {
  const where = error.instancePath === "" ? "the answer" : error.instancePath;
  const values: unknown = error.params["allowedValues"];
  // The name of an additional property is the agent's own text and stays out of the next prompt.
  return `${where} ${error.message ?? "does not fit the schema"}${Array.isArray(values) ? `: ${values.join(", ")}` : ""}`;
};

const MOST_SENTENCES = 20;

/** What is wrong with an answer: the schema first, and only then what it can't say. */
export const judgeAnswer = (task: AgentTask, answer: unknown, limits: AnswerLimits = ANSWER_LIMITS): readonly string[] => {
  const validate = validatorOf(task.schema);
  if (validate(answer)) return answerProblems(task, answer, limits);
  return (validate.errors ?? []).slice(0, MOST_SENTENCES).map(sentence);
};
