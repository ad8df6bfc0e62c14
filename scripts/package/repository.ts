/** Where people find the files of the version that's packaged. */
export interface Repository {
  /** Address of the repository on GitHub, without a slash at the end. */
  readonly url: string;
  /** The tag of the version. */
  readonly ref: string;
}

/**
 * The repository that the release workflow runs in. This project doesn't know its own address: forks and mirrors have others.
 * @returns `undefined` outside of a release
 */
export function repositoryIn(environment: NodeJS.ProcessEnv): Repository | undefined {
  const { REPOSITORY_REF: ref = 'HEAD', REPOSITORY_URL: url } = environment;
  return url === undefined || url === '' ? undefined : { url, ref };
}

/** What the manifest of a package says about its repository: nothing if nobody knows its address. */
export function repositoryFields(repository: Repository | undefined): object {
  if (repository === undefined) return {};
  const { url } = repository;
  return {
    repository: { type: 'git', url: `git+${url}.git` },
    bugs: { url: `${url}/issues` },
    homepage: `${url}#readme`,
  };
}
