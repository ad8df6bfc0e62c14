import type { ServiceId } from '../../oauth/service';

/** How much of an account's label the name of its service may take. */
const LONGEST_SERVICE_IN_LABEL = 24;
/** Names longer than this fill a menu or a message. */
const LONGEST_NAME = 64;

/**
 * Controls, zero-width, bidirectional, private, and unassigned characters, fillers, and the empty braille pattern: they hide, reorder,
 * or break text.
 */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** All kinds of space, line and paragraph ends among them. */
const SPACES = /\p{Z}+/gu;
/** Begins the target of a link in messages of the editor. */
const LINK_TARGET = /\]\(/g;
/** Begins an icon in labels and progress messages of the editor. */
const ICON = /\$\(/g;
/** Marks piled up on one letter, which reach into the lines above and below. */
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;

/**
 * Makes a text from outside harmless in messages, menus, and the status bar: one line, only visible characters, no
 * links, commands, or icons, and at most `longest` characters. A harmless text stays as it is.
 */
export function plainText(text: string, longest = LONGEST_NAME): string {
  const line = text
    .replace(/[\t\n\v\f\r]/g, ' ')
    .replace(INVISIBLE, '')
    .normalize('NFC')
    .replace(SPACES, ' ')
    .replace(PILED_MARKS, '$1')
    .replace(LINK_TARGET, '] (')
    .replace(ICON, '$ (')
    .trim();
  const characters = Array.from(line);
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join('')}…`;
}

/**
 * What ends the label of an account that has this service in it, except for a number. It has no parentheses, because the editor's menu
 * adds the provider's label in some. It's the same in all languages, because the editor's permissions depend on labels.
 */
export function serviceSuffix(name: string): string {
  return ` · ${plainText(name, LONGEST_SERVICE_IN_LABEL)}`;
}

/** The label of an account, less this service if it ends with it, or with it and a number, which stays. */
export function withoutService(label: string, service: string): string {
  const suffix = serviceSuffix(service);
  const start = label.lastIndexOf(suffix);
  const rest = label.slice(start + suffix.length);
  return start >= 0 && /^(?: \(\d+\))?$/.test(rest) ? `${label.slice(0, start)}${rest}` : label;
}

/** Whether a label says whose account it is: it's called as this service is, or ends with it. */
export function saysService(label: string, service: string): boolean {
  return hasLabel(label, service) || withoutService(label, service) !== label;
}

/** Whether an account has this label, with a number if another one has it, too. */
export function hasLabel(label: string, plain: string): boolean {
  return label === plain || label.replace(/ \(\d+\)$/, '') === plain;
}

/** A name that somebody entered, without spaces around it, and with its letters and marks written in one way. */
export function normalizedName(name: string): string {
  return name.trim().normalize('NFC');
}

/** Says why a name that somebody entered can't be shown as it is, apart from spaces around it; `undefined` if it can. */
export function nameProblem(name: string): 'empty' | 'too long' | 'forbidden characters' | undefined {
  const normalized = normalizedName(name);
  if (normalized === '') {
    return 'empty';
  }
  if (Array.from(normalized).length > LONGEST_NAME) {
    return 'too long';
  }
  return plainText(normalized) === normalized ? undefined : 'forbidden characters';
}

/** Longer addresses make a message unreadable. They're shown without their end, but always with the whole host. */
const LONGEST_SHOWN_ADDRESS = 120;

/** The part of an address that says whose page it is, up to the path. */
const ORIGIN = /^[^/]*\/\/[^/?#]*[/?#]?/;

/**
 * An address as messages show it: unchanged except for parentheses, with which a path could write a link.
 * @param address consists of the characters of addresses only
 */
export function shownAddress(address: string): string {
  const harmless = address.replaceAll('(', '%28').replaceAll(')', '%29');
  const origin = ORIGIN.exec(harmless)?.[0].length ?? 0;
  const longest = Math.max(LONGEST_SHOWN_ADDRESS, origin + 1);
  return harmless.length <= longest ? harmless : `${harmless.slice(0, longest - 1)}…`;
}

/** A part of a path that's a word or two, or the ID of a tenant, and no token. */
const PATH_WORD = /^(?:[\w.~-]{0,20}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * The address of a service, beside a label in a list; empty if that says it. A service whose name nobody sets is called as its host is.
 * @param label a service's name, or an account's label
 */
export function addressBeside(label: string, baseUrl: string): string {
  const { host, origin } = new URL(baseUrl);
  return baseUrl === origin && saysService(label, host) ? '' : shownAddress(baseUrl);
}

/**
 * An endpoint as messages show it: what in its path may be a token, percent-encoded or not, is left out. The metadata of a hostile
 * service choose it, and tokens that it gave earlier aren't known anymore.
 */
export function shownEndpoint(address: string): string {
  const { origin, pathname } = new URL(address);
  const shown = pathname.split('/').map((part) => (PATH_WORD.test(part) ? part : '…'));
  return shownAddress(`${origin}${shown.join('/')}`);
}

/** A service as messages show it, with the values of its settings. */
export function shownService({
  baseUrl,
  clientId,
  protocol,
}: ServiceId): Readonly<Record<'baseUrl' | 'clientId' | 'protocol', string>> {
  return { baseUrl: shownAddress(baseUrl), clientId: plainText(clientId), protocol };
}
