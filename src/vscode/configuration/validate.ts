import { isSafeOrigin, isThisMachine } from '../../oauth/address';
import { nameProblem, type NameProblem } from '../texts/plainText';

/** What is wrong with the value of a setting. */
export type SettingProblem =
  | NameProblem
  | 'not a string'
  | 'not an address'
  | 'no scheme'
  | 'not secure'
  | 'has credentials'
  | 'has a query or fragment'
  | 'not a path'
  | 'not a field'
  | 'not one of its values'
  | 'not an object of strings'
  | 'reserved name';

/** A valid value, or what is wrong with it. */
export type Validated<T> = { readonly value: T } | { readonly problem: SettingProblem };

const LONGEST_TEXT = 2048;
const UNWANTED_IN_ADDRESS = /[\p{C}\p{Z}\\]/u;
const CONTROLS = /\p{Cc}/u;

/**
 * Validates the address of the service: `https:`, or `http:` on this machine; a path is allowed, but no credentials,
 * query, or fragment.
 * @returns the normalized address, without a slash at the end
 */
export function validateBaseUrl(text: unknown): Validated<string> {
  const address = validateAddress(text);
  return 'problem' in address ? address : { value: address.value.origin + address.value.pathname.replace(/\/+$/, '') };
}

/**
 * Adds the `https://` that people leave out when they enter a base URL. Names of this machine and names without a dot
 * stay as they are, because nobody knows what they mean.
 */
export function withScheme(text: string): string {
  const trimmed = text.trim();
  const completed = `https://${trimmed}`;
  const isHost = /^[^\s/?#:]+\.[^\s/?#:.]+\.?(?::\d+)?(?:[/?#]|$)/.test(trimmed);
  return isHost && URL.canParse(completed) && !isThisMachine(new URL(completed)) ? completed : text;
}

/**
 * Validates the address whose origin the verification page must have.
 * @returns the origin, such as `https://example.com`
 */
export function validateOrigin(text: unknown): Validated<string> {
  const address = validateAddress(text);
  return 'problem' in address ? address : { value: address.value.origin };
}

function validateAddress(value: unknown): Validated<URL> {
  const text = validateText(value);
  if ('problem' in text) {
    return text;
  }
  if (UNWANTED_IN_ADDRESS.test(text.value) || !/^https?:\/\/[^/]/i.test(text.value) || !URL.canParse(text.value)) {
    return { problem: isThisMachineWithoutScheme(text.value) ? 'no scheme' : 'not an address' };
  }
  const address = new URL(text.value);
  if (address.username !== '' || address.password !== '') {
    return { problem: 'has credentials' };
  }
  if (/[?#]/.test(text.value)) {
    return { problem: 'has a query or fragment' };
  }
  return isSafeOrigin(address) ? { value: address } : { problem: 'not secure' };
}

/** Whether this is an address such as `127.0.0.1:8080`, which people enter for a service on their own machine. */
function isThisMachineWithoutScheme(text: string): boolean {
  const completed = `http://${text}`;
  return /^[\w.[]/.test(text) && URL.canParse(completed) && isThisMachine(new URL(completed));
}

/** Validates text that may hold anything but control characters, such as a client ID; spaces around it are dropped. */
export function validateText(text: unknown): Validated<string> {
  if (typeof text !== 'string') {
    return { problem: 'not a string' };
  }
  const trimmed = text.trim();
  if (trimmed === '') {
    return { problem: 'empty' };
  }
  if (trimmed.length > LONGEST_TEXT) {
    return { problem: 'too long' };
  }
  return CONTROLS.test(trimmed) ? { problem: 'forbidden characters' } : { value: trimmed };
}

/** Validates a name to show, such as the service's; spaces around it are dropped. */
export function validateName(value: unknown): Validated<string> {
  if (typeof value !== 'string') {
    return { problem: 'not a string' };
  }
  const problem = nameProblem(value);
  return problem === undefined ? { value: value.trim().normalize('NFC') } : { problem };
}

/** Validates a path below the base URL: it begins with one slash, and has no `..`. */
export const validatePath = matching(
  /^(?!.*\/(?:\.|%2e){1,2}(?:\/|$))\/(?!\/)[\w\-.~!$&'()*+,;=:@%/]*$/i,
  'not a path',
);

/** Validates the name of a field, or of a nested field with dots. */
export const validateField = matching(/^[\w-]{1,64}(?:\.[\w-]{1,64}){0,7}$/, 'not a field');

function matching(pattern: RegExp, problem: SettingProblem): (value: unknown) => Validated<string> {
  return (value) => {
    const text = validateText(value);
    return 'problem' in text || pattern.test(text.value) ? text : { problem };
  };
}

/** Creates a validator for a setting with these values only. */
export function oneOf<const T extends string>(...choices: readonly T[]): (value: unknown) => Validated<T> {
  return (value) => {
    const choice = choices.find((one) => one === value);
    return choice === undefined ? { problem: 'not one of its values' } : { value: choice };
  };
}

/** Validates the parameters of the device notification. None can have the name of the access token's parameter. */
export function validateParameters(value: unknown): Validated<Readonly<Record<string, string>>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'not an object of strings' };
  }
  const parameters: [string, string][] = [];
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string' || name === '') {
      return { problem: 'not an object of strings' };
    }
    if (name === 'access_token') {
      return { problem: 'reserved name' };
    }
    if (name.length + text.length > LONGEST_TEXT) {
      return { problem: 'too long' };
    }
    parameters.push([name, text]);
  }
  return { value: Object.fromEntries(parameters) };
}
