// The custom-elements manifest: what editors, documentation and tools read about the public elements. It is made from the
// comments and properties of web/src/elements by the analyzer, and kept as custom-elements.json; a test holds it current.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** An element's reactive properties that are no attributes, and those that are its own business. */
function propertyKinds(ts, node) {
  const kinds = { state: new Set(), noAttribute: new Set() };
  const declared = node.members.find((member) => member.name?.getText() === 'properties');
  if (!declared?.initializer || !ts.isObjectLiteralExpression(declared.initializer)) return kinds;
  for (const property of declared.initializer.properties) {
    const options = property.initializer?.getText() ?? '';
    if (/state:\s*true/.test(options)) kinds.state.add(property.name.getText());
    if (/attribute:\s*false/.test(options)) kinds.noAttribute.add(property.name.getText());
  }
  return kinds;
}

const hide = {
  type: { text: 'string' },
  description: 'Parts that are not shown, by name, with blanks between them; also those of the elements that it is made of.',
  name: 'hide',
};

/** Leaves what is public of the public elements. */
function publicOnly(names) {
  const kinds = new Map();
  return {
    name: 'public-only',
    analyzePhase({ ts, node }) {
      if (ts.isClassDeclaration(node) && node.name) kinds.set(node.name.getText(), propertyKinds(ts, node));
    },
    packageLinkPhase({ customElementsManifest }) {
      for (const module of customElementsManifest.modules) {
        module.declarations = module.declarations.filter(({ tagName }) => names.includes(tagName));
        const kept = new Set(module.declarations.map(({ name }) => name));
        module.exports = module.exports.filter(({ declaration }) => kept.has(declaration.name));
        for (const declaration of module.declarations) {
          const { state, noAttribute } = kinds.get(declaration.name);
          const isProperty = ({ kind, privacy, name, inheritedFrom }) =>
            kind === 'field' && privacy === 'public' && !state.has(name) && !inheritedFrom;
          declaration.members = declaration.members.filter(isProperty);
          for (const member of declaration.members) if (noAttribute.has(member.name)) delete member.attribute;
          declaration.events ??= [];
          // What presentation.ts does for every element.
          declaration.attributes = [...(declaration.attributes ?? []), hide];
          declaration.attributes = declaration.attributes.filter(
            ({ name, fieldName }) => !state.has(fieldName ?? name) && !noAttribute.has(fieldName ?? name),
          );
        }
      }
      customElementsManifest.modules = customElementsManifest.modules.filter(({ declarations }) => declarations.length > 0);
    },
  };
}

/** The public elements, as embed.ts names them. */
export async function publicElements(root) {
  const source = await readFile(path.join(root, 'web/src/embed.ts'), 'utf8');
  return [...source.matchAll(/^ {2}'(vitrine-[a-z-]+)':/gm)].map(([, name]) => name);
}

export async function makeManifest(root) {
  const { create, ts } = await import('@custom-elements-manifest/analyzer/index.js');
  const { litPlugin } = await import('@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js');
  const folder = 'web/src/elements';
  const files = (await readdir(path.join(root, folder))).filter((name) => name.endsWith('.ts')).sort();
  const modules = await Promise.all(
    files.map(async (name) => {
      const text = await readFile(path.join(root, folder, name), 'utf8');
      return ts.createSourceFile(`${folder}/${name}`, text, ts.ScriptTarget.ES2022, true);
    }),
  );
  return create({ modules, plugins: [...litPlugin(), publicOnly(await publicElements(root))] });
}
