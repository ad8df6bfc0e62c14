import { generate } from 'selfsigned';

/** A certificate and its key, in PEM. */
export interface Identity {
  readonly key: string;
  readonly cert: string;
}

const HOUR = 3_600_000;
const DNS_NAME = 2;

/** Makes a certificate that can sign others, and that nobody trusts unless told to. */
export async function createAuthority(name: string): Promise<Identity> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  });
  return { key, cert };
}

/**
 * Makes a certificate for a host.
 * @param signedBy itself if `undefined`
 * @param endsIn milliseconds from now; negative for one that has ended
 */
export async function createIdentity(host: string, signedBy: Identity | undefined, endsIn = HOUR): Promise<Identity> {
  const now = Date.now();
  const { private: key, cert } = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 2 * HOUR),
    notAfterDate: new Date(now + endsIn),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: DNS_NAME, value: host }] }],
    ...(signedBy === undefined ? {} : { ca: signedBy }),
  });
  return { key, cert };
}
