package inspect

// Rules about pages of MCP Apps. What they find is in the catalogue of docs/detection.md, "Pages".
const (
	VaryingPage    = "varying_page"
	PageAsksSecret = "page_asks_secret"
	PageAnyHost    = "page_any_host"
	PagePlainHTTP  = "page_plain_http"
	PageOddHost    = "page_odd_host"
	PagePermission = "page_permission"
)
