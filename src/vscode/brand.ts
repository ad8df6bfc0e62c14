/**
 * The names of this build, read from its manifest. To build it under another name, change only `package.json`; such
 * builds can be installed side by side.
 */
export interface Brand {
  /** Such as `device-flow.device-flow-authentication`. */
  readonly extensionId: string;
  /** Such as `Device Flow Authentication`. */
  readonly displayName: string;
  /** Version of the extension. */
  readonly version: string;
  /** ID under which other extensions ask for a session, such as `device-flow`. */
  readonly providerId: string;
  /** First part of the names of commands, settings and context keys, such as `deviceFlow`. */
  readonly prefix: string;
}

/** What is read of the manifest. */
export interface Manifest {
  readonly publisher: string;
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
  readonly contributes: {
    readonly authentication: readonly { readonly id: string }[];
    readonly commands: readonly { readonly command: string }[];
  };
}

/**
 * Reads the names of this build.
 * @throws Error if the manifest contributes no authentication provider or no command.
 */
export function readBrand(manifest: Manifest): Brand {
  const providerId = manifest.contributes.authentication[0]?.id;
  const prefix = manifest.contributes.commands[0]?.command.split('.')[0];
  if (providerId === undefined || prefix === undefined) {
    throw new Error('The manifest must contribute an authentication provider and its commands.');
  }
  return {
    extensionId: `${manifest.publisher}.${manifest.name}`,
    displayName: manifest.displayName,
    version: manifest.version,
    providerId,
    prefix,
  };
}
