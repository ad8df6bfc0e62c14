import { valueAt } from '../../fields';
import type { Brand } from '../brand';

/** The value of each setting as the person or else the manifest has it, not validated. */
export type SettingsSource = (name: string) => unknown;

/**
 * The settings that share a prefix. Those of workspaces and folders are ignored: a stranger's folder must not choose the
 * service that gets tokens and the client secret.
 * @param all what VS Code's `inspect` returns for the prefix
 */
export function settingsOf(
  all: { readonly defaultValue?: unknown; readonly globalValue?: unknown } | undefined,
  fixed: Brand['fixed'],
): SettingsSource {
  const set = (name: string): unknown => valueAt(all?.globalValue, name) ?? valueAt(all?.defaultValue, name);
  return fixed === undefined ? set : settingsIn(fixed);
}

/** Settings that aren't the person's, each by its name. */
export function settingsIn(values: Readonly<Record<string, unknown>>): SettingsSource {
  return (name) => (Object.hasOwn(values, name) ? values[name] : undefined);
}
