import type { CleanUp } from '../../../host/cleanUp';
import type { EmbeddedService } from '../../../service';
import { createAuthority, createIdentity, type Identity } from './certificates';
import { type Proxy, startProxy, tunnelTo } from './proxy';
import { type SecureFront, startSecureFront, terminator } from './secureFront';

/** The network between VS Code and the service. */
export interface CompanyNetwork {
  /** What speaks TLS for the service. */
  readonly front: SecureFront;
  /** A proxy that passes connections on as they are. */
  readonly tunnelling: Proxy;
  /** A proxy that opens connections, with a certificate of this network’s authority. */
  readonly inspecting: Proxy;
  /** What the inspecting proxy shows of itself; to be replaced by what nobody trusts. */
  shown: Identity;
  /** The authority of all certificates here. */
  readonly authority: Identity;
  /** The right certificate of the service. */
  readonly identity: Identity;
}

/**
 * Starts the network on loopback.
 * @param hosts those that the proxies let connect to; the first is the service’s
 */
export async function startCompanyNetwork(
  service: EmbeddedService,
  hosts: readonly [string, ...string[]],
  cleanUp: CleanUp,
): Promise<CompanyNetwork> {
  const authority = await createAuthority('Company');
  const identity = await createIdentity(hosts[0], authority);
  const front = await startSecureFront(service.baseUrl, { kind: 'serve', identity });
  const state: Pick<CompanyNetwork, 'shown'> = { shown: await createIdentity(hosts[0], authority) };
  const terminate = terminator(service.baseUrl, (request) => {
    inspecting.note(request);
  });
  const inspecting = await startProxy({
    hosts,
    connected: (socket) => {
      terminate(socket, state.shown);
    },
  });
  const tunnelling = await startProxy({ hosts, connected: tunnelTo(() => front.port) });
  for (const { close } of [front, inspecting, tunnelling]) cleanUp.add(close);
  return Object.assign(state, { front, inspecting, tunnelling, authority, identity });
}
