import { existsSync } from 'node:fs';
import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { command, messageOf, wholeNumber } from '../host/commandLine';
import { CleanUp } from '../host/cleanUp';
import { elementsForFurther, environmentFor, nameOfFurther, SAMPLE, settingsFor, WHO_SIGNED_IN } from './configured';
import { DataFolder } from '../host/dataFolder';
import { type HostKind, hostOption, possibleHost } from '../host/desktop';
import { packExtension } from '../host/packExtension';
import { ROOT, VSIX } from '../host/paths';
import { endWithChildren, runProgram } from '../host/processes';
import { NEWEST } from '../host/versions';
import { createService, type EmbeddedService, type ServiceOptions } from './service';
import { portOption, protocolOptions, timeOptions } from './service/options';
import { startLocalPages } from './start/localPages';
import {
  checkPort,
  type EditorOptions,
  findDesktop,
  openDesktop,
  openServer,
  provideDesktop,
  type RunningEditor,
} from './start/editors';

interface StartOptions extends Omit<ServiceOptions, 'host'> {
  readonly host?: HostKind;
  readonly servicePort?: number;
  readonly install: readonly string[];
  /** Whether only the packages of `install` are installed. */
  readonly alone?: boolean;
  /** How many services there are. */
  readonly services: number;
}

const program = command(
  'npm start --',
  'Starts the demo service and a VS Code that is configured for it, with the extension and a sample extension ' +
    'that uses its session. Runs until Ctrl-C, and leaves nothing behind.',
)
  .addOption(hostOption('Where VS Code runs. (default: desktop if one can be opened here)'))
  .addOption(portOption('--port', "Port of VS Code's server. (default: any free one)"))
  .addOption(
    portOption('--service-port', 'Port of the demo service; further ones get the next. (default: any free one)'),
  )
  .option(
    '--services <number>',
    'How many services to start and configure. All but the first are standard ones without a client secret.',
    wholeNumber(1, 10),
    1,
  )
  .option('--install <file>', 'Package (.vsix) to install too; can be repeated.', addPackage, [])
  .option(
    '--alone',
    'Install only those packages, which embed the library, without the extension and the sample extension.',
  );
for (const option of [...timeOptions(), ...protocolOptions()]) program.addOption(option);
program.parse();

/** Another package to install, which is relative to where npm was called. */
function addPackage(file: string, others: readonly string[]): readonly string[] {
  const given = path.resolve(process.env['INIT_CWD'] ?? process.cwd(), file);
  if (!existsSync(given)) throw new InvalidArgumentError('There is no such file.');
  return [...others, given];
}

async function main(cleanUp: CleanUp): Promise<void> {
  const {
    alone = false,
    host,
    install,
    port = 0,
    servicePort = 0,
    services,
    ...options
  } = program.opts<StartOptions>();
  const kind = host ?? (findDesktop() === undefined ? await possibleHost() : 'desktop');
  // Reports what can't work before anything is set up.
  const desktop = kind === 'desktop' ? await provideDesktop() : undefined;
  if (desktop === undefined) await checkPort(port, "VS Code's server", '--port');
  const servicePorts = Array.from({ length: services }, (_, index) => (servicePort === 0 ? 0 : servicePort + index));
  for (const one of servicePorts) await checkPort(one, 'The service', '--service-port');
  const service = await createService({ ...options, port: servicePort, clientName: 'VS Code' });
  cleanUp.add(() => service.close());
  const further: EmbeddedService[] = [];
  for (const furtherPort of servicePorts.slice(1)) {
    const one = await createFurther({ ...options, port: furtherPort });
    cleanUp.add(() => one.close());
    further.push(one);
  }
  const localPages = await startLocalPages();
  cleanUp.add(() => localPages.close());
  const data = await DataFolder.create({
    ...settingsFor(service, service.protocol === 'draft' ? WHO_SIGNED_IN : {}, elementsForFurther(further)),
    // Otherwise, VS Code has no MCP servers.
    'chat.disableAIFeatures': false,
  });
  cleanUp.add(() => data.delete());
  const env = {
    ...(await environmentFor(service, data, NEWEST)),
    VSCODE_PROXY_URI: localPages.template,
    DEVICE_FLOW_SAMPLE_WALKTHROUGH: 'show',
  };

  const extensions = alone ? install : [...(await packages()), ...install];
  const window = { data, extensions, env };
  const editor = await openEditor(desktop, port, window);
  cleanUp.add(() => editor.stop());

  const lines = [
    `Service: ${service.baseUrl}`,
    `MCP server: ${service.mcpUrl}`,
    ...further.map(({ baseUrl }, index) => `${nameOfFurther(index)}: ${baseUrl}`),
    ...editor.lines,
    `Client ID: ${service.clientId}`,
    `Client secret: ${service.clientSecret === '' ? 'none' : service.clientSecret}`,
    ...(alone ? ['In VS Code, run a command of your extension that signs in.'] : whatToTry(further)),
    'Press Ctrl-C to stop VS Code and the service, and to delete their data.',
  ];
  console.log(lines.join('\n'));
  await editor.ended;
  await cleanUp.run();
}

/** Starts one of the further services. */
async function createFurther(options: ServiceOptions): Promise<EmbeddedService> {
  return await createService({ ...options, protocol: 'rfc8628', clientSecret: '', clientName: 'VS Code' });
}

/** Makes the packages of the extension and of the sample extension. */
async function packages(): Promise<readonly string[]> {
  process.stderr.write('Packaging the extension…\n');
  await runProgram(process.execPath, [path.join(ROOT, 'scripts', 'bootstrap.js'), 'package']);
  return [VSIX, await packExtension(SAMPLE)];
}

/** What to do with the extension and the sample extension, one line each. */
function whatToTry(further: readonly EmbeddedService[]): readonly string[] {
  return [
    'In VS Code, follow the steps that are open, or press F1 and run “Sample: Ask for a Session”, and then “Sample: Who Am I”.',
    ...(further.length === 0 ? [] : ['To call each service with its own token, run “Sample: Who Am I at a Service”.']),
    'To add a service with “Device Flow: Configure Service”, select “Add Service…”, then “Other…”, and enter its base URL. “npm run service” starts one.',
  ];
}

/**
 * Opens VS Code.
 * @param desktop its command line; `undefined` for VS Code's server on this port
 */
async function openEditor(desktop: string | undefined, port: number, window: EditorOptions): Promise<RunningEditor> {
  if (desktop === undefined) return await openServer(port, window);
  return await openDesktop(desktop, window);
}

const cleanUp = new CleanUp();
// Ctrl-C is how it's meant to end.
endWithChildren(() => cleanUp.run(), 0);
main(cleanUp).catch(async (error: unknown) => {
  console.error(messageOf(error));
  await cleanUp.run();
  process.exit(1);
});
