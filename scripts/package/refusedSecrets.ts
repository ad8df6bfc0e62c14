/** How vsce says where it found what looks like a secret: a file, with the line and the columns. It never quotes what it found. */
const PLACE = /^\s+(\S+)#(\d+)(?::\d+)?(?:-\d+:\d+)?\s*$/gm;
const FINDING = 'sensitive information';

/** What to do about a client secret that looks like one. */
const ADVICE =
  'If the service gave it to you as a client secret, ask for another one, or register a public client, which has none. Or leave clientSecret out, and have an extension of yours provide it.';

/**
 * Why vsce refuses a package that contains what looks like somebody's token or key, by the names that its publisher knows.
 * @param output of vsce
 * @param manifest of the package, as vsce read it
 * @returns `undefined` if vsce failed for another reason
 */
export function refusedSecrets(output: string, manifest: string): string | undefined {
  if (!output.includes(FINDING)) return undefined;
  const lines = manifest.split('\n');
  const names = [...output.matchAll(PLACE)].map(([, file = '', line]) =>
    file === 'package.json' ? (fieldIn(lines[Number(line) - 1]) ?? file) : file.replace(/^extension\//, ''),
  );
  const what = [...new Set(names)].join(', ');
  const reason = `vsce refuses ${what}, because it looks like somebody’s token or key, which mustn’t be published.`;
  return names.includes('clientSecret') ? `${reason} ${ADVICE}` : `${reason} Replace it.`;
}

/** The name of the field in a line of JSON. */
function fieldIn(line = ''): string | undefined {
  return /^\s*"((?:[^"\\]|\\.)*)":/.exec(line)?.[1];
}
