/** From this length on, a piece of a secret within another text is no coincidence. */
const TELLING_LENGTH = 8;

/** Whether a text from the service repeats a secret, or a telling piece of it. */
export function repeats(text: string, secret: string): boolean {
  return holds(text, secret) || (text.length >= TELLING_LENGTH && secret.includes(text));
}

/** Whether a text from the service holds all of a secret. */
export function holds(text: string, secret: string): boolean {
  return text === secret || (secret.length >= TELLING_LENGTH && text.includes(secret));
}

/** Whether an address repeats a secret, however much of it is encoded. */
export function addressRepeats(address: string, secret: string): boolean {
  const bytes = address.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return secret.length >= TELLING_LENGTH && bytes.includes(Buffer.from(secret).toString('latin1'));
}
