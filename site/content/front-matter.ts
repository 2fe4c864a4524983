/** Splits an MDX file into its front matter (YAML; empty if there is none) and its body. */
export function splitFrontMatter(source: string): { readonly yaml: string; readonly body: string } {
  const [whole = '', yaml = ''] = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(source) ?? [];
  return { yaml, body: source.slice(whole.length) };
}
