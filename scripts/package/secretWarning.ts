import { readServiceFile } from './serviceFile';

/** RFC 8252, section 8.5. */
const SECRET_WARNING =
  'Warning: the package contains the client secret, and everyone who has the package can read it. It proves nothing ' +
  'about who uses it, so the service must not rely on it.';

/** Warns a publisher whose package will contain a client secret. @throws ServiceFileError */
export async function warnOfSecret(file: string): Promise<void> {
  if ('clientSecret' in (await readServiceFile(file)).service) console.error(SECRET_WARNING);
}
