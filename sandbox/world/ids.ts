/** Ids as GitHub forms them: numbers from counters, node ids from kind, repository and number. */

/** Messagepack of `[0, ...numbers]`, enough of it for node ids. */
const packed = (numbers: readonly number[]): Uint8Array => {
  const bytes: number[] = [0x90 + numbers.length + 1, 0];
  for (const number of numbers) {
    const wide = number > 0xffff_ffff;
    bytes.push(wide ? 0xcf : 0xce);
    for (let shift = wide ? 7 : 3; shift >= 0; shift -= 1) bytes.push(Math.floor(number / 256 ** shift) % 256);
  }
  return Uint8Array.from(bytes);
};

/** `PR_kwDO...`: prefix, then base64url of messagepack `[0, repository, number]` (accounts and repositories: `[0, number]`). */
export const nodeId = (prefix: string, ...numbers: readonly number[]): string =>
  `${prefix}_${Buffer.from(packed(numbers)).toString("base64url")}`;

/** Where each counter starts: review and comment ids are beyond 32 bits today, and a client that can't take them must fail here too. */
const STARTS = {
  account: 1_000,
  repository: 912_000_000,
  pullRequest: 2_261_552_000,
  issue: 3_100_000_000,
  issueComment: 3_500_000_000,
  reviewComment: 3_800_000_000,
  review: 5_200_000_000,
  thread: 1_400_000_000,
  check: 62_000_000_000,
  suite: 51_000_000_000,
  status: 41_000_000_000,
  event: 24_000_000_000,
} as const;
export type CounterName = keyof typeof STARTS;

export interface Counters {
  next(name: CounterName): number;
}

export const counters = (): Counters => {
  const at: Record<CounterName, number> = { ...STARTS };
  return { next: (name) => (at[name] += 1) };
};
