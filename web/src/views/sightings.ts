// Every detector and what it saw with a fault: where, expected, found; or that it was quiet. A pure view.

import { html, type TemplateResult } from 'lit';

import type { NamedMeaning, Sightings } from '../engine/protocol';
import { fill, messages } from '../messages';

const texts = messages('sightings', {
  table: 'What the detectors saw',
  detector: 'Detector',
  verdict: 'Result',
  saw: 'saw it',
  quiet: 'quiet',
  where: 'Where',
  expected: 'Expected',
  found: 'Found',
  none: 'All {all} detectors are quiet.',
  some: '{seen} of {all} detectors saw it: {names}.',
});

export function sightingsConclusion({ seen }: Sightings, all: number): string {
  if (seen.length === 0) return fill(texts.none, { all });
  return fill(texts.some, { seen: seen.length, all, names: seen.map(({ detector }) => detector).join(', ') });
}

export function sightingsView(sightings: Sightings, detectors: readonly NamedMeaning[]): TemplateResult {
  const sightingOf = ({ name }: NamedMeaning) => sightings.seen.find(({ detector }) => detector === name);
  const saw = (detector: NamedMeaning): boolean => sightingOf(detector) !== undefined;
  const rowView = (detector: NamedMeaning): TemplateResult => {
    const sighting = sightingOf(detector);
    const { name, owner, meaning } = detector;
    return html`
      <tr class=${sighting ? 'saw' : 'quiet'}>
        <th scope="row" title=${owner}><code>${name}</code> <bdi class="small soft">${meaning}</bdi></th>
        <td class="result">${sighting ? texts.saw : texts.quiet}</td>
        <td><bdi>${sighting?.where}</bdi></td>
        <td><bdi>${sighting?.expected}</bdi></td>
        <td><bdi>${sighting?.found}</bdi></td>
      </tr>
    `;
  };
  const heads = [texts.detector, texts.verdict, texts.where, texts.expected, texts.found];
  return html`
    <p><strong data-sightings><bdi>${sightingsConclusion(sightings, detectors.length)}</bdi></strong></p>
    <div class="scroll" tabindex="0" role="group" aria-label=${texts.table}>
      <table class="sightings">
        <caption>${texts.table}</caption>
        <thead>
          <tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr>
        </thead>
        <tbody>
          ${[...detectors].sort((a, b) => Number(saw(b)) - Number(saw(a))).map(rowView)}
        </tbody>
      </table>
    </div>
  `;
}
