interface FrontMatter {
  /** The YAML between the dashes; empty if there is none. */
  readonly yaml: string;
  readonly body: string;
}

export function splitFrontMatter(source: string): FrontMatter {
  const [whole = '', yaml = ''] = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(source) ?? [];
  return { yaml, body: source.slice(whole.length) };
}
