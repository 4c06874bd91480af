/// How pages look: on screens of any width, light and dark, and on paper.
enum PageStyle {
    static let sheet: StaticString = """
        :root{color-scheme:light dark;
        --paper:#fff;--shade:#f4f6f8;--line:#d5dae0;--ink:#14181d;--soft:#535d68;--link:#0b57a4;
        --good:#166534;--bad:#b01c18;--caution:#7a4f00;
        --k2:#0b57a4;--k3:#a64700;--k4:#1a7440;--k5:#7345ad;--k6:#0d6c70;--k7:#a92168;--heat:11,87,164}
        @media screen and (prefers-color-scheme:dark){:root{
        --paper:#101418;--shade:#181d23;--line:#323a43;--ink:#e7eaee;--soft:#a3adb8;--link:#7fb6f5;
        --good:#72cc93;--bad:#f58b82;--caution:#e3b553;
        --k2:#7fb6f5;--k3:#f0a562;--k4:#72cc93;--k5:#c0a6f1;--k6:#5fc9c8;--k7:#f18fc1;--heat:127,182,245}}
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
        body{margin:0 auto;padding:2rem 1.5rem;max-width:64rem;background:var(--paper);color:var(--ink);
        font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,sans-serif;
        font-variant-numeric:tabular-nums;overflow-wrap:break-word}
        h1,h2,h3{line-height:1.2;font-weight:600;letter-spacing:-.01em}
        h1{margin:.1rem 0 0;font-size:2.1rem}
        h2{margin:0 0 .8rem;font-size:1.3rem}
        h3{margin:2rem 0 .5rem;font-size:1.02rem}
        p{margin:.5rem 0;max-width:46rem}
        a{color:var(--link)}
        :focus-visible{outline:3px solid var(--link);outline-offset:3px;border-radius:2px}
        .kind,.origin,footer,caption,figcaption,.absent,small{color:var(--soft)}
        .kind{margin:0;font-size:.85rem;letter-spacing:.02em}
        .verdict{margin:.6rem 0 0;font-size:1.15rem;font-weight:650}
        .verdict span{display:inline-block;min-width:1.1em}
        .good{color:var(--good)}.bad{color:var(--bad)}.caution{color:var(--caution)}
        .reasons{margin:.4rem 0;padding-left:1.2rem}
        .origin{font-size:.85rem;margin-top:.8rem}
        .tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(12rem,1fr));gap:1.5rem 2rem;margin:1.6rem 0 0}
        .tiles>div{border-top:2px solid var(--ink);padding-top:.5rem}
        .tiles dt{font-size:.85rem;color:var(--soft)}
        .tiles dd{margin:0;font-size:1.65rem;font-weight:600;line-height:1.3;letter-spacing:-.01em}
        .tiles small{display:block;font-size:.85rem;font-weight:400;line-height:1.4;letter-spacing:0;margin-top:.15rem}
        .tiles .absent{font-size:1.15rem;font-weight:400}
        nav{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;margin:1.8rem 0 0;padding:.6rem 0;font-size:.9rem;
        border-block:1px solid var(--line)}
        nav a{text-decoration:none}nav a:hover{text-decoration:underline}
        section{margin:2.6rem 0 0}
        dl.facts{display:grid;grid-template-columns:8rem 1fr;gap:.3rem 1.5rem;margin:0;font-size:.95rem}
        .facts dt{grid-column:1;color:var(--soft)}.facts dd{grid-column:2;margin:0}
        .scroll{overflow-x:auto;margin:1rem 0}
        table{border-collapse:collapse;font-size:.9rem;min-width:60%}
        caption{text-align:left;padding-bottom:.4rem;font-size:.9rem}
        th,td{padding:.32rem 1.1rem .32rem 0;text-align:left;vertical-align:baseline;border-bottom:1px solid var(--line)}
        th:last-child,td:last-child{padding-right:0}
        thead th,thead td{color:var(--soft);font-weight:500;border-bottom-color:var(--soft);white-space:nowrap}
        tbody th{font-weight:500}
        tbody th+td{min-width:4rem}
        .hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        data{white-space:nowrap}
        .n{text-align:right;white-space:nowrap}
        tr.total th,tr.total td{font-weight:600}
        .absent{font-size:.95em}
        .word{font-weight:600;white-space:nowrap}
        figure{margin:1rem 0}
        figure+figure{margin-top:2.2rem}
        figcaption{font-size:.9rem;max-width:52rem;margin-bottom:.6rem}
        figcaption b{display:block;color:var(--ink);font-weight:600}
        svg.chart{display:block;width:100%;height:auto}
        svg.narrow{display:none;max-width:36rem}
        .chart text{font-size:12px;stroke:none}
        .legend{display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;margin:0 0 .2rem;padding:0;list-style:none;font-size:.9rem}
        .legend svg{width:1.9rem;height:.7rem;margin-right:.45rem;vertical-align:baseline}
        .k0{stroke:var(--soft)}.k1{stroke:var(--line)}.k2{stroke:var(--k2)}.k3{stroke:var(--k3)}.k4{stroke:var(--k4)}
        .k5{stroke:var(--k5)}.k6{stroke:var(--k6)}.k7{stroke:var(--k7)}.k8{stroke:var(--good)}.k9{stroke:var(--bad)}
        .f0{fill:var(--soft)}.f1{fill:var(--line)}.f2{fill:var(--k2)}.f3{fill:var(--k3)}.f4{fill:var(--k4)}
        .f5{fill:var(--k5)}.f6{fill:var(--k6)}.f7{fill:var(--k7)}.f8{fill:var(--good)}.f9{fill:var(--bad)}
        .c0{color:var(--soft)}.c1{color:var(--line)}.c2{color:var(--k2)}.c3{color:var(--k3)}.c4{color:var(--k4)}
        .c5{color:var(--k5)}.c6{color:var(--k6)}.c7{color:var(--k7)}.c8{color:var(--good)}.c9{color:var(--bad)}
        .cp{color:var(--paper)}
        .map{border-collapse:separate;border-spacing:3px;min-width:0;-webkit-print-color-adjust:exact;print-color-adjust:exact}
        .map th{padding:.3rem .6rem;border:0;text-align:center;font-weight:500;color:var(--soft);white-space:nowrap}
        .map tbody th{text-align:right}.map th[scope=colgroup]{text-align:left}
        .map td{padding:.45rem .7rem;border:0;text-align:center;vertical-align:middle;min-width:6rem;border-radius:3px}
        .map td.none{background:none;border:1px dashed var(--line)}
        .map td.picked{box-shadow:inset 0 0 0 3px var(--good)}
        .map td.broken{border:2px dashed var(--bad)}
        .map data{font-weight:600}
        .map small{display:block;color:inherit;font-size:.78rem;line-height:1.35;white-space:nowrap}
        .map .good,.map .bad,.map .caution{font-weight:600;color:var(--ink)}
        .heat0{background:rgba(var(--heat),.02)}.heat1{background:rgba(var(--heat),.05)}.heat2{background:rgba(var(--heat),.09)}
        .heat3{background:rgba(var(--heat),.13)}.heat4{background:rgba(var(--heat),.17)}.heat5{background:rgba(var(--heat),.21)}
        .heat6{background:rgba(var(--heat),.26)}.heat7{background:rgba(var(--heat),.31)}.heat8{background:rgba(var(--heat),.36)}
        .heat9{background:rgba(var(--heat),.45)}
        .scale{display:flex;flex-wrap:wrap;gap:.2rem .9rem;margin:.2rem 0 1rem;padding:0;list-style:none;font-size:.85rem;
        -webkit-print-color-adjust:exact;print-color-adjust:exact}
        .scale span{display:inline-block;width:1.6rem;height:.85rem;margin-right:.35rem;vertical-align:-.1rem;border:1px solid var(--line)}
        details{margin:.6rem 0}
        summary{cursor:pointer;color:var(--link);font-size:.9rem;width:fit-content}
        pre{margin:.6rem 0;padding:1rem 1.2rem;overflow-x:auto;background:var(--shade);border-radius:4px;
        font:.82rem/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace}
        .note{padding:.7rem 1rem;background:var(--shade);border-left:3px solid var(--caution);max-width:none}
        .note p,.note ul{margin:.2rem 0}
        footer{margin:4rem 0 0;padding-top:1rem;border-top:1px solid var(--line);font-size:.85rem}
        @media screen and (max-width:48rem){svg.wide{display:none}svg.narrow{display:block}
        .many{background:linear-gradient(90deg,var(--shade),transparent) 0 0/1.4rem 100% no-repeat,
        linear-gradient(270deg,var(--line),transparent) 100% 0/1.4rem 100% no-repeat}
        .many::before{content:"\\2194  scroll sideways for all columns";position:sticky;left:0;color:var(--soft);font-size:.85rem}
        .many .keeps th:last-child,.many .keeps td:last-child{position:sticky;right:0;padding-left:.6rem;background:var(--paper)}}
        @media (max-width:40rem){
        body{padding:1.5rem 1rem}h1{font-size:1.7rem}section{margin-top:2.4rem}
        dl.facts{display:block}.facts dt{margin-top:.6rem}
        .tiles{grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:1.2rem}.tiles dd{font-size:1.35rem}
        table{min-width:100%}.map td{min-width:4.6rem;padding:.35rem .3rem}.map th{padding:.3rem}}
        @page{margin:15mm}
        @media print{
        body{max-width:none;padding:0;font-size:9.5pt}nav{display:none}section{margin-top:1.6rem}
        .tiles{grid-template-columns:repeat(4,1fr)}figure,tr,.tiles{break-inside:avoid}h2,h3,caption{break-after:avoid}
        .scroll,pre{overflow:visible}svg.chart{max-height:9cm}pre{white-space:pre-wrap;columns:3;padding:.6rem;font-size:6.5pt;background:none}
        details::details-content{content-visibility:visible;block-size:auto}summary{list-style:none;color:inherit}}
        """
}
