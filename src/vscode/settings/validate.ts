import { isSafeOrigin, isThisMachine, isReadableHost, parseAddress } from '../../oauth/address';
import { nameProblem, normalizedName } from '../texts/plainText';
import type { Problem, ProblemKind } from '../texts/settingTexts';

/** A value can't be used. Validators return the value in its normal form, or throw this. */
export class InvalidValueError extends Error {
  readonly problem: Problem;

  /** @param problem the kind of problem is enough if its text needs nothing else */
  constructor(problem: Problem | ProblemKind) {
    const whole = typeof problem === 'string' ? { kind: problem } : problem;
    super(whole.kind);
    this.name = 'InvalidValueError';
    this.problem = whole;
  }
}

/** @throws InvalidValueError */
export function assertValid(isValid: boolean, problem: Problem | ProblemKind): asserts isValid {
  if (!isValid) {
    throw new InvalidValueError(problem);
  }
}

/** What `read` throws if a value is invalid; otherwise `undefined`. */
export function invalidValue(read: () => unknown): InvalidValueError | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidValueError) {
      return error;
    }
    throw error;
  }
}

/** What `read` returns, or `undefined` if a value is invalid. */
export function ifValid<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidValueError) {
      return undefined;
    }
    throw error;
  }
}

/** Longer values are no values that anybody means. Characters. */
export const LONGEST_TEXT = 2048;
/** Neither spaces, nor invisible characters, nor backslashes are in an address. */
export const UNWANTED_IN_ADDRESS = /[\p{C}\p{Z}\\]/u;
const CONTROLS = /\p{Cc}/u;
/** Begins what VS Code fills in elsewhere, such as in launch.json, but not in settings. */
const VARIABLE = /\$\{(?:(?:command|config|env|input):|userHome|workspaceFolder)/;

/**
 * Validates the address of the service: `https:`, or `http:` on this machine; a path is allowed, but no credentials,
 * query, or fragment.
 * @returns the normalized address, without a slash at the end
 */
export function validateBaseUrl(value: unknown): string {
  const { origin, pathname } = validateAddress(value);
  return origin + pathname.replace(/\/+$/, '');
}

/**
 * Adds the `https://` that people leave out when they enter a base URL, or `http://` for this machine. Other names
 * without a dot stay as they are, because nobody knows what they mean.
 */
export function withScheme(text: string): string {
  const http = `http://${text.trim()}`;
  const local = parseAddress(http);
  if (local !== undefined && isThisMachine(local)) {
    return http;
  }
  const https = `https://${text.trim()}`;
  const isHost = /^[^\s/?#:]+\.[^\s/?#:.]+\.?(?::\d+)?(?:[/?#]|$)/.test(text.trim());
  return isHost && parseAddress(https) !== undefined ? https : text;
}

/** Where standards place the metadata of a service: behind its address, or between the host and the path. */
const METADATA = /^(.*)\/\.well-known\/(?:openid-configuration|oauth-authorization-server)(\/.*)?$/;

/**
 * Validates the base URL of a service that people set, as `validateBaseUrl` does. They may have copied the address of its metadata,
 * which isn't one.
 * @returns the normalized address, without a slash at the end
 */
export function validateIssuer(value: unknown): string {
  const baseUrl = validateBaseUrl(value);
  const { origin, pathname } = new URL(baseUrl);
  const [metadata, before = '', after = ''] = METADATA.exec(pathname) ?? [];
  assertValid(metadata === undefined, { kind: 'metadata address', address: `${origin}${before}${after}` });
  return baseUrl;
}

/**
 * Validates a web address: `https:`, or `http:` on this machine, without credentials, query, or fragment.
 */
export function validateAddress(value: unknown): URL {
  const text = validateText(value);
  const isWanted = !UNWANTED_IN_ADDRESS.test(text) && /^https?:\/\/[^/]/i.test(text);
  const address = isWanted ? parseAddress(text) : undefined;
  assertValid(address !== undefined, 'not an address');
  assertValid(address.username === '' && address.password === '', 'has credentials');
  assertValid(!/[?#]/.test(text), 'has a query or fragment');
  assertValid(isSafeOrigin(address), 'not secure');
  assertValid(isReadableHost(address), 'unusual host');
  return address;
}

/** Validates text that may hold anything but control characters, such as a client ID; spaces around it are dropped. */
export function validateText(value: unknown): string {
  assertValid(typeof value === 'string', 'not a string');
  const text = value.trim();
  assertValid(text !== '', 'empty');
  assertValid(text.length <= LONGEST_TEXT, 'too long');
  assertValid(!CONTROLS.test(text), 'control characters');
  assertNoVariable(text);
  return text;
}

/** @throws InvalidValueError if a text has a variable, which nobody fills in */
export function assertNoVariable(text: string): void {
  assertValid(!VARIABLE.test(text), 'variable');
}

/** Validates a name to show, such as the service's; spaces around it are dropped. */
export function validateName(value: unknown): string {
  assertValid(typeof value === 'string', 'not a string');
  const problem = nameProblem(value);
  if (problem !== undefined) {
    throw new InvalidValueError(problem);
  }
  assertNoVariable(value);
  return normalizedName(value);
}
