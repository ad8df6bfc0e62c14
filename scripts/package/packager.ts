import path from 'node:path';
import { ROOT } from '../../host/paths';

/** The script of VS Code's packager that this project has installed. */
export const VSCE = path.join(ROOT, 'node_modules', '@vscode', 'vsce', 'vsce');
