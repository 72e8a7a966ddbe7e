// Targets and their facts as JSON.
#pragma once
#include "target/Target.h"

#include <string>

namespace tilewright::features {

/// `{"targets":[{"id","architecture","added"}]}`; no architecture: null.
std::string targetListJson();
/// `{"id","documents":[{"kind","id","digest"}],"facts":[{"path","value","unit","origin","conditions","source"}]}`; an unavailable fact has the value null.
std::string targetJson(const target::Target &target);

} // namespace tilewright::features
