/** A throw-away certificate for `localhost`, its own authority: X.509 in DER by hand, as Node can't make one. */
import { generateKeyPairSync, sign } from "node:crypto";
import type { Certificate } from "./listen.js";

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const integer = (value: number): Buffer => der(0x02, Buffer.from([value]));
const text = (value: string): Buffer => der(0x0c, Buffer.from(value, "utf8"));
const bits = (value: Uint8Array): Buffer => der(0x03, Buffer.from([0]), value);
const octets = (value: Uint8Array): Buffer => der(0x04, value);
const yes = Buffer.from([0x01, 0x01, 0xff]);
const identifier = (...bytes: readonly number[]): Buffer => der(0x06, Buffer.from(bytes));

const COMMON_NAME = identifier(0x55, 0x04, 0x03);
const ECDSA_WITH_SHA256 = sequence(identifier(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const BASIC_CONSTRAINTS = identifier(0x55, 0x1d, 0x13);
const SUBJECT_ALTERNATIVE_NAME = identifier(0x55, 0x1d, 0x11);

/** `YYYYMMDDHHMMSSZ` */
const instant = (at: number): Buffer => der(0x18, Buffer.from(`${new Date(at).toISOString().replaceAll(/[-:T]/gu, "").slice(0, 14)}Z`));

const DAY = 86_400_000;

/** Valid from a day before `now` for a year. Trust `cert` as an authority (`SSL_CERT_FILE`, `GIT_SSL_CAINFO`, `NODE_EXTRA_CA_CERTS`). */
export const throwAwayCertificate = (now: number): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(der(0x31, sequence(COMMON_NAME, text("localhost"))));
  const names = sequence(der(0x82, Buffer.from("localhost")), der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = der(
    0xa3,
    sequence(sequence(BASIC_CONSTRAINTS, yes, octets(sequence(yes))), sequence(SUBJECT_ALTERNATIVE_NAME, octets(names))),
  );
  const body = sequence(
    der(0xa0, integer(2)),
    integer(1),
    ECDSA_WITH_SHA256,
    name,
    sequence(instant(now - DAY), instant(now + 365 * DAY)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    extensions,
  );
  const signed = sequence(body, ECDSA_WITH_SHA256, bits(sign("sha256", body, privateKey)));
  const lines = signed.toString("base64").match(/.{1,64}/gu) ?? [];
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
  };
};
