import path from 'node:path';
import { parseArgs } from 'node:util';
import { parsed, tellEnd, wholeNumber } from './commandLine';
import { CleanUp } from './host/cleanUp';
import { environmentFor, settingsFor } from './host/configured';
import { DataFolder } from './host/dataFolder';
import { hasDisplay, possibleHost } from './host/desktop';
import { packExtension } from './host/packExtension';
import { ROOT, VSIX } from './host/paths';
import { endWithChildren, runProgram } from './host/processes';
import { find } from './host/systemPackages';
import { NEWEST } from './host/versions';
import { hostKind } from './run/options';
import { createService } from './service';
import { readArguments } from './service/arguments';
import { openDesktop, openServer } from './start/editors';

const HELP = `Usage: npm start -- [options]

Starts the embedded service and a VS Code that is configured for it, with the extension and a sample extension that
uses the session. Stays until Ctrl-C, and leaves nothing behind.

Options:
  --host desktop|server   a desktop VS Code, or VS Code's server for any browser on this machine. Without it: a desktop
                          one where there is a display and VS Code is installed or its download is in reach.
  --port N                the port of VS Code's server (default: any free one)
  --service-port N        the port of the embedded service (default: any free one)
  --interval S            least time between two polls, in seconds (default: 5)
  --device-code-ttl S     lifetime of a device code, in seconds (default: 900)
  --access-token-ttl S    lifetime of an access token, in seconds (default: 3600)
  -h, --help              show this and do nothing`;

const HIGHEST_PORT = 65_535;

async function main(cleanUp: CleanUp): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parsed(() =>
    parseArgs({
      options: {
        ...{ host: text, port: text, 'service-port': text },
        ...{ interval: text, 'device-code-ttl': text, 'access-token-ttl': text },
        help: { type: 'boolean', short: 'h' },
      },
    }),
  );
  if (values.help === true) {
    console.log(HELP);
    return;
  }
  const asked = hostKind(values.host);
  const port = wholeNumber('--port', values.port, 0, HIGHEST_PORT);
  wholeNumber('--service-port', values['service-port'], 0, HIGHEST_PORT);
  const installed = hasDisplay() && find({ anyOf: ['code'] }) !== undefined;
  const kind = asked ?? (installed ? 'desktop' : await possibleHost());

  const serviceArguments = [
    ...argument('port', values['service-port']),
    ...argument('interval', values.interval),
    ...argument('device-code-ttl', values['device-code-ttl']),
    ...argument('access-token-ttl', values['access-token-ttl']),
  ];
  const serviceOptions = readArguments(serviceArguments);
  if (serviceOptions === 'help') return;
  const service = await createService(serviceOptions);
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

function argument(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`--${name}`, value];
}

const cleanUp = new CleanUp();
endWithChildren(() => cleanUp.run());
main(cleanUp).catch(async (error: unknown) => {
  const code = tellEnd(error);
  await cleanUp.run();
  process.exit(code);
});
