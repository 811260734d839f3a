'use strict';
(() => {
  const inputs = JSON.parse(document.getElementById('data').textContent);
  const main = document.getElementById('main');
  const drawers = [];  // functions that draw a chart anew in the colours of the moment
  let charts = [];

  // ---- small helpers -------------------------------------------------------------------------
  const make = (tag, parent, text, name) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (name) element.className = name;
    if (parent) parent.appendChild(element);
    return element;
  };
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const series = (index) => colour('--c' + (index % 8));
  const figure = (value) => {
    if (value === null || value === undefined || !isFinite(value)) return '';
    if (value >= 100) return Math.round(value).toLocaleString('en');
    return value >= 10 ? value.toFixed(1) : value >= 1 ? value.toFixed(2) : value.toFixed(3);
  };
  const time = (ns) => {
    if (ns === undefined || ns === null) return '';
    if (ns < 1e3) return ns + ' ns';
    if (ns < 1e6) return figure(ns / 1e3) + ' µs';
    return ns < 1e9 ? figure(ns / 1e6) + ' ms' : figure(ns / 1e9) + ' s';
  };
  const size = (bytes) => {
    const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
    let power = 0;
    while (bytes >= 1024 && power < 5) { bytes /= 1024; ++power; }
    return (Number.isInteger(bytes) ? bytes : bytes.toFixed(2)) + ' ' + names[power];
  };
  const distinct = (values) => [...new Set(values)];

  const table = (parent, columns, rows) => {
    const box = make('div', parent, undefined, 'scroll');
    const element = make('table', box);
    const head = make('tr', make('thead', element));
    for (const column of columns) make('th', head, column.title, column.text ? 'text' : '');
    const body = make('tbody', element);
    for (const row of rows) {
      const line = make('tr', body);
      for (const column of columns) {
        make('td', line, column.cell(row), (column.text ? 'text' : '') + (column.wrap ? ' wrap' : ''));
      }
    }
  };
  const facts = (parent, pairs) => {
    const list = make('dl', parent);
    for (const [name, value] of pairs) {
      if (value === undefined || value === null || value === '') continue;
      make('dt', list, name);
      make('dd', list, String(value));
    }
  };
  const notes = (parent, texts) => { for (const text of texts || []) make('p', parent, text, 'note'); };

  // ---- charts --------------------------------------------------------------------------------
  const card = (parent, title, height, wide) => {
    const box = make('div', parent, undefined, wide ? 'card wide' : 'card');
    make('h3', box, title);
    const plot = make('div', box, undefined, 'plot');
    plot.style.height = height + 'px';
    const canvas = make('canvas', plot);
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', title);
    return canvas;
  };
  const axis = (title, extra) => Object.assign({
    title: { display: Boolean(title), text: title, color: colour('--soft') },
    ticks: { color: colour('--soft') },
    grid: { color: colour('--line') },
  }, extra || {});
  const plot = (canvas, build) => {
    if (typeof Chart === 'undefined') return;
    drawers.push(() => {
      const config = build();
      config.options = Object.assign({
        animation: false, responsive: true, maintainAspectRatio: false,
      }, config.options);
      config.options.plugins = Object.assign({
        legend: { position: 'bottom', labels: { color: colour('--ink'), boxWidth: 14 } },
      }, config.options.plugins);
      charts.push(new Chart(canvas, config));
    });
  };
  const bars = (parent, title, labels, sets, unit, horizontal) => {
    const height = horizontal ? 90 + labels.length * (10 + 14 * sets.length)
                              : 300 + 14 * Math.max(0, sets.length - 4);
    plot(card(parent, title, height), () => ({
      type: 'bar',
      data: {
        labels,
        datasets: sets.map((set, i) => ({
          label: set.label, data: set.values, backgroundColor: series(i), maxBarThickness: 46,
        })),
      },
      options: {
        indexAxis: horizontal ? 'y' : 'x',
        scales: horizontal ? { x: axis(unit, { beginAtZero: true }), y: axis('') }
                           : { x: axis(''), y: axis(unit, { beginAtZero: true }) },
        plugins: { tooltip: { callbacks: {
          label: (item) => item.dataset.label + ': ' + figure(item.raw) + ' ' + unit } } },
      },
    }));
  };

  // ---- one kind of result each -----------------------------------------------------------------
  const environment = (section, host) => {
    make('h3', section, 'Environment');
    facts(section, [
      ['processor', host.cpu + ', ' + host.cores + ' cores' + (host.virtual_machine ? ', virtual' : '')],
      ['features', host.cpu_features], ['kernel', host.kernel], ['governor', host.governor],
      ['memory', host.memory_bytes && size(host.memory_bytes)],
      ['data generator', host.generator_mb_per_s && host.generator_mb_per_s + ' MB/s'],
      ['memory copy', host.memory_copy_mb_per_s && host.memory_copy_mb_per_s + ' MB/s'],
      ['voltest', host.voltest_version], ['time', host.time],
    ]);
  };

  // The same target may be there twice, as a check of the method.
  const seriesName = (row) => {
    const twin = row.twin ? ' (' + (row.target_index + 1) + ')' : '';
    const name = (row.system || row.target || '') + twin;
    return row.fill_percent === undefined ? name : name + ', ' + row.fill_percent + ' % full';
  };

  const throughput = (grid, results) => {
    const names = distinct(results.map(seriesName));
    for (const [prefix, title] of [['seq', 'Sequential'], ['rand', 'Random']]) {
      const rows = results.filter((row) => row.test.startsWith(prefix));
      if (rows.length === 0) continue;
      const key = (row) => row.test + ' ' + row.op;
      const labels = distinct(rows.map(key));
      bars(grid, title + ' throughput', labels, names.map((name) => ({
        label: name,
        values: labels.map((label) => {
          const row = rows.find((r) => seriesName(r) === name && key(r) === label);
          return row ? row.mb_per_s : null;
        }),
      })), 'MB/s');
    }
  };

  const percentiles = [['p50', '50 %', 0.5], ['p90', '90 %', 0.9], ['p99', '99 %', 0.99],
                       ['p999', '99.9 %', 0.999], ['p9999', '99.99 %', 0.9999], ['max', 'max', 0]];
  // A percentile that only the slowest request stands for is none.
  const percentile = (row, p) => {
    const requests = row.requests || row.bytes / row.block_bytes;
    return requests * (1 - p[2]) < 0.999 ? null : row.latency_ns[p[0]];
  };
  const mostLines = 6;  // in one picture
  const latencies = (grid, results) => {
    for (const test of distinct(results.map((row) => row.test))) {
      const lines = results.filter((row) => row.test === test);
      if (lines.length <= mostLines) {
        latencyChart(grid, 'Latency, ' + test + ' (writes dashed)', lines, results);
        continue;
      }
      for (const op of distinct(lines.map((row) => row.op))) {
        latencyChart(grid, 'Latency, ' + test + ' ' + op, lines.filter((r) => r.op === op), results);
      }
    }
  };
  const latencyChart = (grid, title, lines, results) => {
    const names = distinct(results.map(seriesName));
    const one = distinct(lines.map((row) => row.op)).length === 1;
    const height = 300 + 14 * Math.max(0, lines.length - 4);
    plot(card(grid, title, height), () => ({
      type: 'line',
      data: {
        labels: percentiles.map((p) => p[1]),
        datasets: lines.map((row) => ({
          label: seriesName(row) + (one ? '' : ' ' + row.op),
          data: percentiles.map((p) => {
            const ns = percentile(row, p);
            return ns === null ? null : ns / 1000;
          }),
          spanGaps: true,
          borderColor: series(names.indexOf(seriesName(row))),
          backgroundColor: series(names.indexOf(seriesName(row))),
          borderDash: one ? [] : row.op === 'read' ? [] : row.op === 'write' ? [6, 4] : [2, 3],
          borderWidth: 2, pointRadius: 2.5, pointStyle: 'circle', tension: 0,
        })),
      },
      options: {
        scales: { x: axis('share of requests that were at least as fast'),
                  y: axis('µs', { type: 'logarithmic' }) },
        plugins: {
          legend: { position: 'bottom', labels: {
            color: colour('--ink'), usePointStyle: true, pointStyle: 'line', pointStyleWidth: 34,
            generateLabels: (chart) => Chart.defaults.plugins.legend.labels.generateLabels(chart)
              .map((label) => Object.assign(label, {
                lineDash: chart.data.datasets[label.datasetIndex].borderDash, lineWidth: 2 })) } },
          tooltip: { callbacks: {
            label: (item) => item.dataset.label + ': ' + time(item.raw * 1000) } },
        },
      },
    }));
  };

  // Beyond that an interval says only that nothing is known.
  const least = 0.02;
  const most = 50;
  const shown = (ratio) => Math.min(most, Math.max(least, ratio));
  const ratioText = (ratio) => ratio >= 1000 ? '>1000' : ratio.toFixed(ratio >= 10 ? 1 : 3);
  const intervalText = (row) =>
    row.interval_95 === null ? '-' : row.interval_95.map(ratioText).join(' .. ');

  const comparisons = (section, grid, rows) => {
    const measured = rows.filter((row) => row.ratio !== null);
    if (measured.length === 0) return;
    const label = (row) => seriesName(row) + '  ' + row.test + ' ' + row.op;
    const lows = measured.map((row) => shown(row.interval_95[0]));
    const highs = measured.map((row) => shown(row.interval_95[1]));
    const wide = Math.max(...highs) / Math.min(...lows) > 20;
    plot(card(grid, 'Ratio to the baseline, with 95 % interval', 80 + 24 * measured.length, true), () => ({
      type: 'bar',
      data: {
        labels: measured.map(label),
        datasets: [{
          label: '95 % interval', data: measured.map((row) => row.interval_95.map(shown)),
          backgroundColor: measured.map((row) => row.difference ? series(1) : series(6)),
          borderSkipped: false, barThickness: 6,
        }, {
          label: 'ratio', type: 'scatter',
          data: measured.map((row) => ({ x: shown(row.ratio), y: label(row) })),
          backgroundColor: colour('--ink'), pointRadius: 4,
        }],
      },
      options: {
        indexAxis: 'y',
        scales: {
          x: axis('target / baseline', { type: wide ? 'logarithmic' : 'linear', grid: {
            color: (line) => line.tick && line.tick.value === 1 ? colour('--ink') : colour('--line') } }),
          y: axis('', { type: 'category', labels: measured.map(label) }),
        },
        plugins: { legend: { display: false }, tooltip: { callbacks: { label: (item) => {
          const row = measured[item.dataIndex];
          return ratioText(row.ratio) + ' (' + intervalText(row) + '): ' + row.verdict;
        } } } },
      },
    }));
    make('h3', section, 'Comparison');
    table(section, [
      { title: 'test', text: true, cell: (r) => r.test + ' ' + r.op },
      { title: 'target', text: true, cell: seriesName },
      { title: 'baseline MB/s', cell: (r) => figure(r.baseline_mb_per_s) },
      { title: 'MB/s', cell: (r) => figure(r.target_mb_per_s) },
      { title: 'ratio', cell: (r) => r.ratio === null ? '-' : ratioText(r.ratio) },
      { title: '95 % interval', cell: intervalText },
      { title: 'verdict', text: true, wrap: true,
        cell: (r) => r.verdict + (r.cause ? ', which is no gain: ' + r.cause : '') },
    ], rows);
  };

  const throughputPage = (section, doc) => {
    for (const target of doc.targets || [doc.target]) {
      if (!target || !target.path) continue;
      const storage = target.backing || target.storage || {};
      facts(section, [
        ['target', target.path + ' (' + target.kind + ')'],
        ['cipher', target.cipher && target.cipher + ', kernel ' + target.kernel],
        ['measured', size(target.range_bytes) + ', O_DIRECT ' + target.direct_state],
        ['storage', distinct([storage.file_system, storage.device, storage.device_model,
                              storage.rotational ? 'rotating' : '']).filter(Boolean).join(', ')],
        ['mount options', storage.mount_options],
      ]);
      notes(section, target.notes);
    }
    notes(section, doc.notes);
    notes(section, (doc.left_out || []).map((row) => row.target + ' ' + row.test + ' ' + row.op + ': ' + row.why));
    if (doc.interrupted) notes(section, ['Interrupted: these are the results so far.']);
    const results = doc.results || [];
    for (const row of results.concat(doc.comparisons || [])) {
      row.twin = results.some((r) => r.target === row.target && r.target_index !== row.target_index);
    }
    const grid = make('div', section, undefined, 'grid');
    throughput(grid, results);
    const speeds = doc.cipher_speeds || [];
    if (speeds.length > 0) {
      bars(grid, 'Ciphers alone, in memory, all cores', speeds.map((s) => s.cipher),
        [{ label: 'mean of both directions', values: speeds.map((s) => s.mean_mb_per_s) }], 'MB/s', true);
    }
    latencies(grid, results);
    comparisons(section, grid, doc.comparisons || []);
    make('h3', section, 'Figures');
    table(section, [
      { title: 'target', text: true, cell: seriesName },
      { title: 'test', text: true, cell: (r) => r.test + ' ' + r.op },
      { title: 'MB/s', cell: (r) => figure(r.mb_per_s) },
      { title: 'min', cell: (r) => figure(r.spread_mb_per_s.min) },
      { title: 'max', cell: (r) => figure(r.spread_mb_per_s.max) },
      { title: 'MAD', cell: (r) => figure(r.spread_mb_per_s.mad) },
      { title: 'IOPS', cell: (r) => figure(r.iops) },
      { title: 'p50', cell: (r) => time(r.latency_ns.p50) },
      { title: 'p99', cell: (r) => time(percentile(r, percentiles[2])) },
      { title: 'p99.9', cell: (r) => time(percentile(r, percentiles[3])) },
      { title: 'max', cell: (r) => time(r.latency_ns.max) },
      { title: 'cpu ns/B', cell: (r) => figure(r.cpu_ns / r.bytes) },
      { title: 'daemon ns/B', cell: (r) => r.daemon_cpu_ns ? figure(r.daemon_cpu_ns / r.bytes) : '' },
    ], results);
    const settings = doc.settings || {};
    make('p', section, 'Median of ' + settings.loops + ' runs of at most ' +
      time(settings.runtime_ns) + ', engine ' + settings.engine + ', seed ' + settings.seed +
      '; latencies at most ' + (100 * settings.latency_error).toFixed(1) + ' % too high.', 'soft');
  };

  const cpuPage = (section, doc) => {
    const results = doc.results || [];
    const inUse = results.filter((row) => row.selected && row.hardware_aes);
    const grid = make('div', section, undefined, 'grid');
    const largest = Math.max(...inUse.map((row) => row.buffer_bytes));
    const ciphers = distinct(inUse.map((row) => row.cipher));
    bars(grid, 'Ciphers, ' + size(largest) + ' buffers, mean of both directions', ciphers,
      distinct(inUse.map((row) => row.threads)).map((threads) => ({
        label: threads + (threads === 1 ? ' thread' : ' threads'),
        values: ciphers.map((cipher) => {
          const row = inUse.find((r) => r.cipher === cipher && r.threads === threads &&
                                        r.buffer_bytes === largest);
          return row ? row.mean_mb_per_s : null;
        }),
      })), 'MB/s', true);
    const single = results.filter((r) => r.threads === 1 && r.buffer_bytes === largest &&
                                         !r.kernel.includes('+'));
    if (single.length > 0) {
      bars(grid, 'Kernels, one thread', single.map((r) => r.cipher + ' ' + r.kernel +
        (r.hardware_aes ? '' : ' (hardware AES off)')),
        [{ label: 'mean', values: single.map((r) => r.mean_mb_per_s) }], 'MB/s', true);
    }
    make('h3', section, 'Figures');
    table(section, [
      { title: 'cipher', text: true, cell: (r) => r.cipher },
      { title: 'kernel', text: true, cell: (r) => r.kernel },
      { title: 'threads', cell: (r) => String(r.threads) },
      { title: 'buffer', cell: (r) => size(r.buffer_bytes) },
      { title: 'encrypt MB/s', cell: (r) => figure(r.encrypt_mb_per_s) },
      { title: 'decrypt MB/s', cell: (r) => figure(r.decrypt_mb_per_s) },
      { title: 'mean MB/s', cell: (r) => figure(r.mean_mb_per_s) },
      { title: '', text: true, cell: (r) => (r.selected ? 'in use' : '') +
          (r.hardware_aes ? '' : ' (hardware AES off)') },
    ], results);
  };

  const kdfPage = (section, doc) => {
    const results = doc.results || [];
    const label = (r) => r.format + ' ' + r.prf + (r.pim ? ' PIM ' + r.pim : '');
    const grid = make('div', section, undefined, 'grid');
    bars(grid, 'Time to open', results.map(label), [
      { label: 'one derivation', values: results.map((r) => r.derive_ns / 1e9) },
      { label: 'wrong password', values: results.map((r) => r.wrong_password_ns / 1e9) },
    ], 's', true);
    table(section, [
      { title: 'volume', text: true, cell: label },
      { title: 'work', text: true, cell: (r) => r.work },
      { title: 'derive', cell: (r) => time(r.derive_ns) },
      { title: 'wrong password', cell: (r) => time(r.wrong_password_ns) },
    ], results);
  };

  const verifyPage = (section, doc) => {
    facts(section, [['target', doc.target.path], ['blocks checked', doc.checked_blocks],
                    ['good', doc.good_blocks], ['error', doc.error]]);
    notes(section, (doc.issues || []).map((issue) => issue.text));
  };

  // ---- the page --------------------------------------------------------------------------------
  make('h1', main, 'Storage and encryption, measured');
  make('p', main, inputs.length + (inputs.length === 1 ? ' result' : ' results') + ' of voltest. ' +
    'Rates are bytes over wall time in MB/s (10⁶).', 'soft');
  if (typeof Chart === 'undefined') notes(main, ['This program was built without its chart library: tables only.']);
  for (const input of inputs) {
    const section = make('section', main);
    const doc = input.document;
    make('h2', section, input.name + (doc.command ? ' — ' + doc.command : ''));
    try {
      if (doc.schema === 'voltest/1') throughputPage(section, doc);
      else if (doc.schema === 'voltest-cpu/1') cpuPage(section, doc);
      else if (doc.schema === 'voltest-kdf/1') kdfPage(section, doc);
      else if (doc.schema === 'voltest-verify/1') verifyPage(section, doc);
      else notes(section, ['Of a kind this program does not know: ' + doc.schema]);
    } catch (error) {
      notes(section, ['Not all of this result could be shown: ' + error.message]);
    }
    if (doc.host) environment(section, doc.host);
  }

  const draw = () => {
    for (const chart of charts) chart.destroy();
    charts = [];
    for (const drawer of drawers) drawer();
    document.body.dataset.charts = String(charts.length);
  };
  draw();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  // Paper is white, whatever the screen is.
  addEventListener('beforeprint', () => { document.documentElement.classList.add('printing'); draw(); });
  addEventListener('afterprint', () => { document.documentElement.classList.remove('printing'); draw(); });
})();
