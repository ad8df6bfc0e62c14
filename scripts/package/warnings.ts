import { readServiceFile, type ServiceFile } from './serviceFile';

/** RFC 8252, section 8.5. */
const READABLE = 'and everyone who has the package can read';

/** Names of headers that may hold something secret. */
const SECRET_HEADER = /auth|cookie|credential|key|pass|secret|token/i;

/** What a publisher should know of a package that can be built. */
export function warnings({ license, mcpServers = [], service }: ServiceFile): readonly string[] {
  const headers = mcpServers.flatMap((server) => Object.keys(server.headers ?? {}));
  const secretHeaders = [...new Set(headers.filter((name) => SECRET_HEADER.test(name)))];
  return [
    ...('clientSecret' in service
      ? [
          `The package contains the client secret, ${READABLE} it. It proves nothing about who uses it, so the service must not rely on it.`,
        ]
      : []),
    ...(secretHeaders.length > 0
      ? [
          `The package contains the headers of MCP servers (${secretHeaders.join(', ')}), ${READABLE} them. They prove nothing about who uses them, so the servers must not rely on them.`,
        ]
      : []),
    ...(license === undefined ? ['The package has no license, and Open VSX refuses it without one.'] : []),
  ];
}

/** Warns a publisher of what should be known of a package that can be built. @throws ServiceFileError */
export async function warnPublisher(file: string): Promise<void> {
  for (const warning of warnings(await readServiceFile(file))) console.error(`Warning: ${warning}`);
}
