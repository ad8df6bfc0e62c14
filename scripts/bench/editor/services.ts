import { elementsForFurther, nameOfFurther } from '../../../demo/configured';
import { createService, type EmbeddedService } from '../../../demo/service';
import type { InstalledHost } from '../../../host/install';
import { until } from '../../../host/until';
import { allowUse, approveSignIn, untilSignedIn } from '../../scene/person';
import type { Figure } from '../report';
import { type BenchEditor, type BenchWindow, startBenchEditor } from './benchEditor';
import { measureBesideHungService, measureWithServices } from './getSession';
import { PROBE_NAME, signIn } from './signIn';

/** How much longer `getSession` may take with 3 services, and with 10. */
const LIMIT = 1.1;
const LIMIT_WITH_MANY = 1.25;
/** How much longer it may take if another service hangs. */
const LIMIT_IF_ONE_HANGS = 1.1;

/** Seconds that tokens live: a day. Those of the service that hangs are to be refreshed soon. */
const LIFETIME = 24 * 60 * 60;
const SHORT_LIFETIME = 30;
/** A request that hangs takes longer than anything that's measured. Milliseconds. */
const HANG = 10 * 60 * 1000;

/** All that is measured with several services, in real windows of a real editor. */
export async function measureServices(host: InstalledHost): Promise<Figure[]> {
  const editor = await startBenchEditor(host);
  const first = await Promise.all([LIFETIME, SHORT_LIFETIME].map(startFurther));
  const others = await Promise.all(Array.from({ length: 7 }, () => startFurther(LIFETIME)));
  try {
    const few = await openWith(editor, first);
    await few.probe.do('run', { command: 'deviceFlow.setClientSecret', argument: editor.service.clientSecret });
    await signIn('device-flow', editor.service, few.window, few.probe);
    // The probe's own provider asks for no consent; if an editor asks all the same, it is given.
    const constant = few.probe.do('signIn', { provider: 'bench-constant' });
    await Promise.race([constant, allowUse(few.window.workbench, PROBE_NAME)]);
    await constant;
    await signInToFurther(few, first, 0);
    const withFew = await measureWithServices(few.probe, 3, LIMIT);
    const besideHung = await measureBesideHungService(few.probe, () => hangRefreshes(first.at(-1)), LIMIT_IF_ONE_HANGS);
    await few.window.close();
    const many = await openWith(editor, [...first, ...others]);
    await signInToFurther(many, others, first.length);
    return [withFew, besideHung, await measureWithServices(many.probe, 10, LIMIT_WITH_MANY)];
  } finally {
    await editor.close();
    for (const service of [...first, ...others]) await service.close();
  }
}

/** Starts a further service. Its client has no secret that somebody would have to enter. */
function startFurther(accessTokenTtl: number): Promise<EmbeddedService> {
  return createService({ interval: 1, accessTokenTtl, protocol: 'rfc8628', clientSecret: '' });
}

/** Opens a window in which these services are configured, too. */
async function openWith(editor: BenchEditor, services: readonly EmbeddedService[]): Promise<BenchWindow> {
  await editor.configure(elementsForFurther(services));
  return await editor.open();
}

/** Signs in to further services, of which the first one has this index. */
async function signInToFurther(
  { window: { workbench } }: BenchWindow,
  services: readonly EmbeddedService[],
  begin: number,
): Promise<void> {
  for (const [index, service] of services.entries()) {
    await workbench.runCommand('Device Flow: Sign In');
    const name = nameOfFurther(begin + index);
    await until(`${name} to be listed`, async () =>
      (await workbench.quickInput.labels()).some((one) => one.startsWith(name)),
    );
    await workbench.quickInput.enter(name);
    await approveSignIn(workbench, service);
    // Not what's said of the one before, which may still be there.
    await untilSignedIn(workbench, `${name} `);
  }
}

/** Lets a service hang from its next refresh on, and waits for that. */
async function hangRefreshes(service: EmbeddedService | undefined): Promise<void> {
  const fault = { kind: 'delay', when: 'before', milliseconds: HANG } as const;
  await service?.faults.switchOn('refresh', fault, Number.POSITIVE_INFINITY).reached();
}
