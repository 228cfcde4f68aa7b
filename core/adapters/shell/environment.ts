/** What of our environment a command may see: a list of what is let through, as data. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** A list of names written as words. */
export const namesIn = (text: string): readonly string[] => text.trim().split(/\s+/);

/** What a tool needs to run; nothing here is a credential (a proxy's address may hold one, and without it nothing works). */
const ALLOWED = namesIn(`
  PATH HOME USER LOGNAME SHELL TZ LANG LANGUAGE TMPDIR TMP TEMP CI HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy
  https_proxy no_proxy all_proxy NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE XDG_CACHE_HOME
  XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR
`);
const TOOL_CHAINS = namesIn(`
  NVM_DIR VOLTA_HOME FNM_DIR PNPM_HOME BUN_INSTALL COREPACK_HOME npm_config_cache PLAYWRIGHT_BROWSERS_PATH JAVA_HOME MAVEN_HOME
  GRADLE_USER_HOME ANDROID_HOME ANDROID_SDK_ROOT GOPATH GOROOT GOCACHE GOMODCACHE CARGO_HOME RUSTUP_HOME PYENV_ROOT UV_CACHE_DIR
  POETRY_HOME GEM_HOME GEM_PATH RBENV_ROOT DOTNET_ROOT
`);
const WINDOWS = namesIn(`
  SystemRoot SystemDrive windir ComSpec PATHEXT USERPROFILE USERNAME APPDATA LOCALAPPDATA ProgramData ProgramFiles
  ProgramFiles(x86) ProgramW6432 NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE OS
`);

/** Never let through, not even by name: what opens a forge or a registry. */
const NEVER =
  /^(?:GH_TOKEN|GITHUB_TOKEN|GH_ENTERPRISE_TOKEN|GITHUB_ENTERPRISE_TOKEN|GITHUB_PAT|NPM_TOKEN|NODE_AUTH_TOKEN|NPM_CONFIG_.*(?:AUTH|TOKEN|PASSWORD).*|YARN_NPM_AUTH.*|ACTIONS_(?:ID_TOKEN|RUNTIME_TOKEN).*|REVIEWLOOP_.*)$/i;

export interface EnvironmentOptions {
  /** Further names to let through (an agent's own login, say). Credentials of a forge or a registry stay out all the same. */
  readonly also?: readonly string[];
  /** Laid over the result. */
  readonly set?: Readonly<Record<string, string>>;
  readonly platform?: NodeJS.Platform;
}

/** The environment of a command: the allowed part of `source`, `TERM=dumb`, and what `set` says. */
export const commandEnvironment = (source: Environment, options: EnvironmentOptions = {}): Record<string, string> => {
  const { also = [], set = {}, platform = process.platform } = options;
  // Windows has one name in any case.
  const fold = (name: string): string => (platform === "win32" ? name.toUpperCase() : name);
  const allowed = new Set([...ALLOWED, ...TOOL_CHAINS, ...WINDOWS, ...also].map(fold));
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || NEVER.test(name)) continue;
    if (allowed.has(fold(name)) || fold(name).startsWith("LC_")) chosen[name] = value;
  }
  return { ...chosen, TERM: "dumb", ...set };
};
