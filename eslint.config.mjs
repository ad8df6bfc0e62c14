import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const BELOW_ALL = ['../clock', '../event', '../fields', '../lazy', '../log', '../retry', '../ticker'];

/**
 * A room that imports nothing from outside its folder but this, types included.
 * @param allowed modules, or folders that end with a slash
 */
function onlyImports(files, allowed) {
  const modules = allowed.map((path) => (path.endsWith('/') ? `${path}[^/]+` : path).replaceAll('.', '\\.'));
  const inside = files === 'src/*.ts' ? '\\.\\.?/.*/' : '\\.\\./';
  return {
    files: [files],
    ignores: ['src/extension.ts', 'src/library.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'vscode', message: 'Only src/vscode, src/extension.ts, and src/library.ts know the editor.' },
          ],
          patterns: [
            {
              regex: `^(?!(?:${modules.join('|')})$)${inside}`,
              message: 'Imports point one way; see CONTRIBUTING.md.',
            },
          ],
        },
      ],
    },
  };
}

/**
 * A room that may not use others.
 * @param others folders of the project, as beginnings of regular expressions
 */
function importsNothingFrom(files, others) {
  return {
    files: [files],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: `^(?:\\.\\./)+(?:${others.join('|')})`, message: 'Imports point one way; see CONTRIBUTING.md.' },
          ],
        },
      ],
    },
  };
}

/** The folders and files of src/vscode, each of which imports only those before it. */
const VSCODE = [
  'brand',
  'requests/',
  'texts/',
  'editor/',
  'settings/',
  'failures/',
  'services/',
  'configure/',
  'signin/',
  'accounts/',
  'provider/',
  'git/',
  'mcp/',
  'library/',
  'createPlatform',
  'createExtension',
];

/** Holds the direction of imports inside src/vscode, types included, for one of its folders or files. */
function onlyImportsBefore(name, index) {
  const after = VSCODE.slice(index + 1).join('|');
  const isFolder = name.endsWith('/');
  const onlyEditor = 'Only src/vscode/editor and src/extension.ts use the editor.';
  const oneWay = 'Imports point one way; see CONTRIBUTING.md.';
  return {
    files: [isFolder ? `src/vscode/${name}**` : `src/vscode/${name}.ts`],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: name === 'editor/' ? [] : [{ name: 'vscode', allowTypeImports: true, message: onlyEditor }],
          patterns: after === '' ? [] : [{ regex: `^${isFolder ? '\\.\\.' : '\\.'}/(?:${after})`, message: oneWay }],
        },
      ],
    },
  };
}

/** These open files that aren't the store's, and the bell, which has a folder of its own. */
const OPEN_OTHER_FILES = [
  'src/extension.ts',
  'src/storage/bell.ts',
  'src/vscode/createPlatform.ts',
  'src/vscode/library/translations.ts',
];

/** Functions of `node:fs` that look at files without opening them, and types. */
const OPEN_NOTHING = ['accessSync', 'BigIntStats', 'constants', 'existsSync', 'mkdir', 'realpathSync', 'statSync'];

export default tseslint.config(
  { ignores: ['out/', 'dist/', 'artifacts/', '.vscode-test/'] },
  {
    files: ['**/*.ts'],
    extends: [js.configs.recommended, ...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      // These two cost a tenth of the whole run. The project has no enums, and private fields keep others from passing for its classes.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-require-imports': ['error', { allowAsImport: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      eqeqeq: 'error',
    },
  },
  // Imports point one way: extension -> vscode -> signin and sessions -> storage -> oauth; clock, event, fields, lazy, log, retry and ticker are below all.
  onlyImports('src/*.ts', []),
  onlyImports('src/oauth/**', BELOW_ALL),
  onlyImports('src/storage/**', [...BELOW_ALL, '../oauth/types', '../oauth/dialect', '../oauth/service']),
  onlyImports('src/sessions/**', [...BELOW_ALL, '../oauth/', '../storage/']),
  onlyImports('src/signin/**', [...BELOW_ALL, '../oauth/', '../storage/']),
  ...VSCODE.map(onlyImportsBefore),
  {
    // Modules of texts are one function each, and what it returns is inferred.
    files: ['src/vscode/texts/*'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    files: ['src/**'],
    rules: {
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'ImportDeclaration[source.value="vscode"][importKind="value"] > :matches(ImportNamespaceSpecifier, ImportDefaultSpecifier)',
          message: 'Bundled, it copies the whole API when the extension is loaded. Import by name what is used.',
        },
        {
          selector: 'MemberExpression[object.name="URL"][property.name="canParse"]',
          message: 'Use `parseAddress` in src/oauth/address.ts, which says why.',
        },
        {
          selector: 'TSImportEqualsDeclaration',
          message: 'Bundlers can’t see through it in an ES module, which the library is. Import by name what is used.',
        },
      ],
    },
  },
  {
    // Closing any handle of the database frees the locks that SQLite has on it, so only these open files in its folder.
    files: ['src/**'],
    ignores: ['src/storage/{database,lockFiles}.ts', ...OPEN_OTHER_FILES],
    rules: {
      'no-restricted-imports': [
        'error',
        ...['fs', 'fs/promises', 'node:fs/promises', 'node:fs'].map((name) => ({
          name,
          allowImportNames: OPEN_NOTHING,
          message: 'Only src/storage/database.ts and lockFiles.ts open files in the folder of the store.',
        })),
      ],
    },
  },
  // And outside of src: test -> scripts -> demo -> host.
  importsNothingFrom('scripts/**/*.ts', ['test/']),
  importsNothingFrom('demo/**/*.ts', ['test/', 'scripts/']),
  importsNothingFrom('host/**/*.ts', ['test/', 'scripts/', 'demo/', 'src/']),
);
