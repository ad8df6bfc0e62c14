import path from 'node:path';
import { command, messageOf } from './commandLine';
import { CleanUp } from './host/cleanUp';
import { environmentFor, settingsFor } from './host/configured';
import { DataFolder } from './host/dataFolder';
import { hasDisplay, type HostKind, possibleHost } from './host/desktop';
import { packExtension } from './host/packExtension';
import { ROOT, VSIX } from './host/paths';
import { endWithChildren, runProgram } from './host/processes';
import { find } from './host/systemPackages';
import { NEWEST } from './host/versions';
import { hostOption } from './run/options';
import { createService, type ServiceOptions } from './service';
import { portOption, timeOptions } from './service/options';
import { openDesktop, openServer } from './start/editors';

interface StartOptions extends Omit<ServiceOptions, 'host'> {
  readonly host?: HostKind;
  readonly servicePort?: number;
}

const program = command(
  'npm start --',
  'Starts the embedded service and a VS Code that is configured for it, with the extension and a sample extension ' +
    'that uses its session. Runs until Ctrl-C, and leaves nothing behind.',
)
  .addOption(hostOption('Where VS Code runs. (default: desktop if one can be opened here)'))
  .addOption(portOption('--port', "Port of VS Code's server. (default: any free one)"))
  .addOption(portOption('--service-port', 'Port of the embedded service. (default: any free one)'));
for (const option of timeOptions()) program.addOption(option);
program.parse();

async function main(cleanUp: CleanUp): Promise<void> {
  const { host, port, servicePort = 0, ...times } = program.opts<StartOptions>();
  const installed = hasDisplay() && find({ anyOf: ['code'] }) !== undefined;
  const kind = host ?? (installed ? 'desktop' : await possibleHost());
  const service = await createService({ ...times, port: servicePort });
  cleanUp.add(() => service.close());
  const data = await DataFolder.create({
    ...settingsFor(service),
    'deviceFlow.account.path': '/api/whoami',
    'deviceFlow.account.field': 'name',
  });
  cleanUp.add(() => data.delete());
  const env = await environmentFor(service, data, NEWEST);

  process.stderr.write('Packaging the extension …\n');
  await runProgram(process.execPath, [path.join(ROOT, 'test', 'bootstrap.js'), 'package']);
  const extensions = [VSIX, await packExtension('consumer')];
  const editor = await (kind === 'desktop' ? openDesktop : openServer)({ data, extensions, env, port });
  cleanUp.add(() => editor.stop());

  console.log(`Service: ${service.baseUrl}`);
  for (const line of editor.lines) console.log(line);
  console.log('In VS Code: press F1, run “Device Flow: Sign In”, and then “Sample: Ask for a Session”.');
  console.log('Press Ctrl-C to end both.');
  await editor.ended;
  await cleanUp.run();
}

const cleanUp = new CleanUp();
endWithChildren(() => cleanUp.run());
main(cleanUp).catch(async (error: unknown) => {
  console.error(messageOf(error));
  await cleanUp.run();
  process.exit(1);
});
