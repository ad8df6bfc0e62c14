import type { SettingsSource } from './configuration';

/** What the editor's whole configuration is asked for. */
export interface WholeConfiguration {
  inspect(section: string): { readonly defaultValue?: unknown; readonly globalValue?: unknown } | undefined;
}

/**
 * The settings that share a prefix, as they are now. They are asked for all at once: each question costs the editor a
 * good part of a millisecond, and an extension's activation is waited for.
 */
export function settingsOf(configuration: WholeConfiguration, prefix: string): SettingsSource {
  const all = configuration.inspect(prefix);
  return {
    inspect: (name) => ({
      defaultValue: valueAt(all?.defaultValue, name),
      globalValue: valueAt(all?.globalValue, name),
    }),
  };
}

/** @param name with dots between the names of objects within objects, such as `notify.path` */
function valueAt(settings: unknown, name: string): unknown {
  return name
    .split('.')
    .reduce(
      (within: unknown, part) =>
        typeof within === 'object' && within !== null && Object.hasOwn(within, part)
          ? (Reflect.get(within, part) as unknown)
          : undefined,
      settings,
    );
}
