import { isSafeOrigin, isThisMachine } from '../../oauth/address';

/** What is wrong with the value of a setting. */
export type SettingProblem =
  | 'not a text'
  | 'empty'
  | 'too long'
  | 'forbidden characters'
  | 'not an address'
  | 'not secure'
  | 'has credentials'
  | 'has a query or fragment'
  | 'not a path'
  | 'not a field'
  | 'not one of its values'
  | 'not names and texts'
  | 'reserved name';

/** A checked value, or what is wrong with it. */
export type Checked<T> = { readonly value: T } | { readonly problem: SettingProblem };

const LONGEST_TEXT = 2048;
const UNWANTED_IN_ADDRESS = /[\p{C}\p{Z}\\]/u;
const CONTROLS = /\p{Cc}/u;

/**
 * Checks the address of the service: `https:`, or `http:` on this machine; a path is allowed, credentials, query and
 * fragment are not.
 * @returns the address in its one normal form, without a slash at the end
 */
export function checkBaseUrl(text: unknown): Checked<string> {
  const checked = checkAddress(text);
  if ('problem' in checked) {
    return checked;
  }
  const { origin, pathname } = checked.value;
  return { value: origin + pathname.replace(/\/+$/, '') };
}

/**
 * What somebody entered as a base URL, with the `https://` that people leave out. Names of this machine and names without
 * a dot stay as they are: what was meant by those can't be told.
 */
export function withScheme(text: string): string {
  const trimmed = text.trim();
  const completed = `https://${trimmed}`;
  const isHost = /^[^\s/?#:]+\.[^\s/?#:.]+\.?(?::\d+)?(?:[/?#]|$)/.test(trimmed);
  return isHost && URL.canParse(completed) && !isThisMachine(new URL(completed)) ? completed : text;
}

/**
 * Checks the address whose origin the verification page must have.
 * @returns the origin, such as `https://example.com`
 */
export function checkVerificationUrl(text: unknown): Checked<string> {
  const checked = checkAddress(text);
  return 'problem' in checked ? checked : { value: checked.value.origin };
}

function checkAddress(text: unknown): Checked<URL> {
  const checked = checkText(text);
  if ('problem' in checked) {
    return checked;
  }
  if (UNWANTED_IN_ADDRESS.test(checked.value) || !/^https?:\/\/[^/]/i.test(checked.value)) {
    return { problem: 'not an address' };
  }
  if (!URL.canParse(checked.value)) {
    return { problem: 'not an address' };
  }
  const address = new URL(checked.value);
  if (address.username !== '' || address.password !== '') {
    return { problem: 'has credentials' };
  }
  if (/[?#]/.test(checked.value)) {
    return { problem: 'has a query or fragment' };
  }
  if (!isSafeOrigin(address)) {
    return { problem: 'not secure' };
  }
  return { value: address };
}

/** Checks a text that may hold anything but control characters, such as a client ID; spaces around it are dropped. */
export function checkText(text: unknown): Checked<string> {
  if (typeof text !== 'string') {
    return { problem: 'not a text' };
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

/** Checks a path below the base URL; empty is allowed. */
export function checkPath(text: unknown): Checked<string> {
  if (text === '') {
    return { value: '' };
  }
  const checked = checkText(text);
  if ('problem' in checked) {
    return checked;
  }
  const path = checked.value;
  const isPath = /^\/[\w\-.~!$&'()*+,;=:@%/]*$/.test(path) && !path.startsWith('//');
  const climbs = path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
  return isPath && !climbs ? { value: path } : { problem: 'not a path' };
}

/** Checks the name of a field, or names with dots between them; empty is allowed. */
export function checkField(text: unknown): Checked<string> {
  if (text === '') {
    return { value: '' };
  }
  const checked = checkText(text);
  if ('problem' in checked) {
    return checked;
  }
  return /^[\w-]{1,64}(?:\.[\w-]{1,64}){0,7}$/.test(checked.value) ? checked : { problem: 'not a field' };
}

/** A check for settings that have only these values. */
export function oneOf<const T extends string>(...choices: readonly T[]): (value: unknown) => Checked<T> {
  return (value) => {
    const choice = choices.find((one) => one === value);
    return choice === undefined ? { problem: 'not one of its values' } : { value: choice };
  };
}

/** Checks the parameters of the device notification. The name under which the access token goes is not theirs. */
export function checkParameters(value: unknown): Checked<Readonly<Record<string, string>>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'not names and texts' };
  }
  const parameters: [string, string][] = [];
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string' || name === '') {
      return { problem: 'not names and texts' };
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
